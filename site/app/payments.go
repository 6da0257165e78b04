package app

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/singleshot-edge/singleshot/site/store"
)

// keyOf is the key that a guard sends, without the quotes of a structured field; attempt counts how often it has
// sent it, 1 where nobody said.
func keyOf(r *http.Request) (key string, attempt int64) {
	attempt, err := strconv.ParseInt(r.Header.Get("Idempotency-Attempt"), 10, 64)
	if err != nil || attempt < 1 {
		attempt = 1
	}
	key = strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	return key[:min(len(key), 256)], attempt
}

// paymentJSON is a payment as programs see it.
type paymentJSON struct {
	Payment int64  `json:"payment"`
	Amount  int64  `json:"amount"`
	Status  string `json:"status"`
	Already bool   `json:"already_processed,omitempty"`
}

// createPayment is POST /api/v1/payments: JSON in, JSON out.
func (a *app) createPayment(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		w.Header().Set("WWW-Authenticate", "Bearer")
		problem(w, http.StatusUnauthorized, "Send any token as Authorization: Bearer …")
		return
	}
	var asked struct {
		Amount int64 `json:"amount"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxForm)).Decode(&asked); err != nil {
		problem(w, http.StatusBadRequest, "The body is no JSON object with a whole number as amount.")
		return
	}
	if asked.Amount < minAmount || asked.Amount > maxAmount {
		problem(w, http.StatusUnprocessableEntity, "The amount must be from 1 to 1000000. The key is still good: send it again with another amount.")
		return
	}
	key, attempt := keyOf(r)
	paid, already, err := a.Store.Pay(r.Context(), store.Payment{Key: key, Amount: asked.Amount, Attempt: attempt, Made: a.Now()})
	if err != nil {
		a.Log.Printf("app: %v", err)
		w.Header().Set("Retry-After", "5")
		problem(w, http.StatusServiceUnavailable, "The database does not answer.")
		return
	}
	address := "/api/v1/payments/" + decimal(paid.Number)
	nameRecord(w.Header(), english, address, paymentTitle(paid.Number))
	w.Header().Set("Location", address)
	status := http.StatusCreated
	if already {
		status = http.StatusOK
	}
	writeJSON(w, status, paymentJSON{paid.Number, paid.Amount, "settled", already})
}

func paymentTitle(number int64) text { return text{"Payment {}", "支払い {}"}.fill(number) }

// readPayment is GET /api/v1/payments/{number}.
func (a *app) readPayment(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		problem(w, http.StatusNotFound, "There is no such payment.")
		return
	}
	paid, err := a.Store.Payment(r.Context(), number)
	switch {
	case errors.Is(err, store.ErrNone):
		problem(w, http.StatusNotFound, "There is no such payment.")
		return
	case err != nil:
		a.Log.Printf("app: %v", err)
		problem(w, http.StatusServiceUnavailable, "The database does not answer.")
		return
	}
	status := "settled"
	if paid.Failed {
		status = "failed"
	}
	writeJSON(w, http.StatusOK, paymentJSON{paid.Number, paid.Amount, status, false})
}

// problem answers a program with what is wrong (RFC 9457).
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	writeJSON(w, status, map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value) // an error means that the client is gone
}
