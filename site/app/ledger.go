package app

import (
	"context"
	"errors"
	"sync"
)

// ErrNoOrder says that there is no order with that number.
var ErrNoOrder = errors.New("app: no such order")

// Ledger is where orders are kept. All methods may be called concurrently. An error other than ErrNoOrder
// means that the ledger could not be reached; after it, an order may or may not have been placed.
type Ledger interface {
	// Place keeps a new order and returns it with its number: one above the last, never given twice.
	// When Place returns without an error, the order is durable as far as the ledger is.
	Place(ctx context.Context, order Order) (Order, error)

	// Order returns the order with that number, or ErrNoOrder.
	Order(ctx context.Context, number int64) (Order, error)

	// Latest returns up to limit orders, newest first, and how many there are in all.
	Latest(ctx context.Context, limit int) (orders []Order, total int64, err error)
}

// Memory is a Ledger that lives as long as the process. The zero value is empty and ready.
type Memory struct {
	mu     sync.Mutex
	orders []Order // order i has number FirstNumber+i
}

var _ Ledger = (*Memory)(nil)

// Place implements Ledger.
func (m *Memory) Place(_ context.Context, order Order) (Order, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	order.Number = FirstNumber + int64(len(m.orders))
	m.orders = append(m.orders, order)
	return order, nil
}

// Order implements Ledger.
func (m *Memory) Order(_ context.Context, number int64) (Order, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := number - FirstNumber
	if i < 0 || i >= int64(len(m.orders)) {
		return Order{}, ErrNoOrder
	}
	return m.orders[i], nil
}

// Latest implements Ledger.
func (m *Memory) Latest(_ context.Context, limit int) ([]Order, int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	total := len(m.orders)
	latest := make([]Order, 0, min(limit, total))
	for i := total - 1; i >= 0 && len(latest) < limit; i-- {
		latest = append(latest, m.orders[i])
	}
	return latest, int64(total), nil
}
