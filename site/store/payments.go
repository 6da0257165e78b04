package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Payment is one try to pay, settled or failed.
type Payment struct {
	Number  int64     // given by Pay
	Key     string    // the Idempotency-Key of the request; "" where none came
	Bill    string    // what is paid; "" where it does not matter
	Amount  int64     // yen
	Failed  bool      // a failed payment takes no place: the next one of its key and bill may settle
	Attempt int64     // the guard's count of runs for this key
	Made    time.Time // UTC
}

// Pay keeps a payment. If a payment that did not fail is there for its key or its bill, Pay keeps nothing and
// returns that one, and already is true. The unique indexes decide, not a look beforehand: between a look and a
// write another request has room.
func (s *Store) Pay(ctx context.Context, p Payment) (kept Payment, already bool, err error) {
	status := "settled"
	if p.Failed {
		status = "failed"
	}
	err = s.db.QueryRowContext(ctx, `INSERT INTO payments (idempotency_key, bill, amount, status, attempt, made)
		VALUES (?, ?, ?, ?, ?, ?) RETURNING number`, p.Key, p.Bill, p.Amount, status, p.Attempt, millis(p.Made)).Scan(&p.Number)
	if broken(err, "payments.idempotency_key") || broken(err, "payments.bill") {
		kept, err = s.payment(ctx, `WHERE status <> 'failed' AND (idempotency_key = ?1 AND ?1 <> '' OR bill = ?2 AND ?2 <> '')`, p.Key, p.Bill)
		return kept, true, err
	}
	if err != nil {
		return Payment{}, false, fmt.Errorf("store: pay: %w", err)
	}
	return p, false, nil
}

// Payment returns the payment with that number, or ErrNone.
func (s *Store) Payment(ctx context.Context, number int64) (Payment, error) {
	return s.payment(ctx, `WHERE number = ?1`, number)
}

const paymentColumns = `number, idempotency_key, bill, amount, status, attempt, made`

func (s *Store) payment(ctx context.Context, where string, args ...any) (Payment, error) {
	p, err := scanPayment(s.db.QueryRowContext(ctx, `SELECT `+paymentColumns+` FROM payments `+where, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return Payment{}, ErrNone
	}
	if err != nil {
		return Payment{}, fmt.Errorf("store: read a payment: %w", err)
	}
	return p, nil
}

// PaymentsOf returns the payments of a bill, oldest first, at most 50.
func (s *Store) PaymentsOf(ctx context.Context, bill string) ([]Payment, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+paymentColumns+` FROM payments WHERE bill = ? ORDER BY number LIMIT 50`, bill)
	if err != nil {
		return nil, fmt.Errorf("store: read the payments of a bill: %w", err)
	}
	defer rows.Close()
	var all []Payment
	for rows.Next() {
		p, err := scanPayment(rows)
		if err != nil {
			return nil, fmt.Errorf("store: read the payments of a bill: %w", err)
		}
		all = append(all, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("store: read the payments of a bill: %w", err)
	}
	return all, nil
}

// CountPayments is how many payments there are that did not fail.
func (s *Store) CountPayments(ctx context.Context) (int64, error) {
	return s.count(ctx, "count payments", `SELECT COUNT(*) FROM payments WHERE status <> 'failed'`)
}

// UniqueIndexes are the unique indexes that the database itself reports for the payments, as SQL.
func (s *Store) UniqueIndexes(ctx context.Context) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'payments'
		AND sql LIKE 'CREATE UNIQUE INDEX%' ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("store: read the indexes: %w", err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("store: read the indexes: %w", err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("store: read the indexes: %w", err)
	}
	return all, nil
}

func scanPayment(row interface{ Scan(...any) error }) (Payment, error) {
	var p Payment
	var status string
	var made int64
	err := row.Scan(&p.Number, &p.Key, &p.Bill, &p.Amount, &status, &p.Attempt, &made)
	p.Failed, p.Made = status == "failed", instant(made)
	return p, err
}
