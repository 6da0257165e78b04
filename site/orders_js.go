//go:build js && wasm

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	_ "github.com/syumai/workers/cloudflare/d1" // the driver "d1"

	"github.com/singleshot-edge/singleshot/site/app"
)

// binding is the D1 database's name in wrangler.toml.
const binding = "ORDERS"

// orders is an app.Ledger in D1. The schema is in migrations. Every method is one statement: D1 has no
// transactions over several calls, and one statement needs none.
type orders struct{}

var _ app.Ledger = orders{}

// open opens the database. It costs no round trip; each request has an instance of its own, so there is
// nothing to keep open.
func open() (*sql.DB, error) {
	db, err := sql.Open("d1", binding)
	if err != nil {
		return nil, fmt.Errorf("site: D1 binding %s: %w", binding, err)
	}
	return db, nil
}

// Place implements app.Ledger. AUTOINCREMENT gives numbers that rise and never come twice.
func (orders) Place(ctx context.Context, order app.Order) (app.Order, error) {
	db, err := open()
	if err != nil {
		return app.Order{}, err
	}
	err = db.QueryRowContext(ctx, `INSERT INTO orders (item, amount, placed) VALUES (?, ?, ?) RETURNING number`,
		order.Item, order.Amount, order.Placed.Unix()).Scan(&order.Number)
	if err != nil {
		return app.Order{}, fmt.Errorf("site: place an order: %w", err)
	}
	return order, nil
}

// Order implements app.Ledger.
func (orders) Order(ctx context.Context, number int64) (app.Order, error) {
	db, err := open()
	if err != nil {
		return app.Order{}, err
	}
	order := app.Order{Number: number}
	var placed int64
	err = db.QueryRowContext(ctx, `SELECT item, amount, placed FROM orders WHERE number = ?`, number).
		Scan(&order.Item, &order.Amount, &placed)
	if errors.Is(err, sql.ErrNoRows) {
		return app.Order{}, app.ErrNoOrder
	}
	if err != nil {
		return app.Order{}, fmt.Errorf("site: read an order: %w", err)
	}
	order.Placed = time.Unix(placed, 0).UTC()
	return order, nil
}

// Latest implements app.Ledger. The count comes with every row: one round trip instead of two.
func (orders) Latest(ctx context.Context, limit int) ([]app.Order, int64, error) {
	db, err := open()
	if err != nil {
		return nil, 0, err
	}
	rows, err := db.QueryContext(ctx, `SELECT number, item, amount, placed, (SELECT COUNT(*) FROM orders)
		FROM orders ORDER BY number DESC LIMIT ?`, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("site: read the last orders: %w", err)
	}
	defer rows.Close()
	var latest []app.Order
	var total int64
	for rows.Next() {
		var order app.Order
		var placed int64
		if err := rows.Scan(&order.Number, &order.Item, &order.Amount, &placed, &total); err != nil {
			return nil, 0, fmt.Errorf("site: read the last orders: %w", err)
		}
		order.Placed = time.Unix(placed, 0).UTC()
		latest = append(latest, order)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, fmt.Errorf("site: read the last orders: %w", err)
	}
	return latest, total, nil
}
