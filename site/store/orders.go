package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// FirstNumber is the number of the first order of a new database.
const FirstNumber = 1042

// Order is one placed order.
type Order struct {
	Number int64     // given by Place, from FirstNumber on
	Item   string    // the id of what was ordered
	Amount int64     // yen
	Placed time.Time // UTC, to the second
}

// Place keeps a new order and returns it with its number: above all earlier ones, never given twice.
func (s *Store) Place(ctx context.Context, order Order) (Order, error) {
	err := s.db.QueryRowContext(ctx, `INSERT INTO orders (item, amount, placed) VALUES (?, ?, ?) RETURNING number`,
		order.Item, order.Amount, order.Placed.Unix()).Scan(&order.Number)
	if err != nil {
		return Order{}, fmt.Errorf("store: place an order: %w", err)
	}
	return order, nil
}

// Order returns the order with that number, or ErrNone.
func (s *Store) Order(ctx context.Context, number int64) (Order, error) {
	order := Order{Number: number}
	var placed int64
	err := s.db.QueryRowContext(ctx, `SELECT item, amount, placed FROM orders WHERE number = ?`, number).
		Scan(&order.Item, &order.Amount, &placed)
	if errors.Is(err, sql.ErrNoRows) {
		return Order{}, ErrNone
	}
	if err != nil {
		return Order{}, fmt.Errorf("store: read an order: %w", err)
	}
	order.Placed = time.Unix(placed, 0).UTC()
	return order, nil
}

// Latest returns up to limit orders, newest first, and how many there are in all. The count comes with every
// row: one round trip instead of two.
func (s *Store) Latest(ctx context.Context, limit int) (latest []Order, total int64, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT number, item, amount, placed, (SELECT COUNT(*) FROM orders)
		FROM orders ORDER BY number DESC LIMIT ?`, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("store: read the last orders: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var order Order
		var placed int64
		if err := rows.Scan(&order.Number, &order.Item, &order.Amount, &placed, &total); err != nil {
			return nil, 0, fmt.Errorf("store: read the last orders: %w", err)
		}
		order.Placed = time.Unix(placed, 0).UTC()
		latest = append(latest, order)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, fmt.Errorf("store: read the last orders: %w", err)
	}
	return latest, total, nil
}
