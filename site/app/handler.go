// Package app is the demo origin: the project's public face, with a page for every recipe, in English and
// Japanese, with htmx and without JavaScript. It is an ordinary web application. It renders no key, keeps no list
// of what it has seen, and where a guard in front of it matters, a recipe says so: record.go names what was made,
// payments read the key that a guard sends, trail.go shows what the guard did.
package app

import (
	"log"
	"net/http"
	"time"

	"github.com/singleshot-edge/singleshot/site/store"
)

// Config is what the application needs.
type Config struct {
	Store *store.Store     // where everything is kept
	Now   func() time.Time // the clock
	ID    func() string    // makes ids that cannot be guessed, of 16 characters of a-z and 0-9
	Trail TrailReader      // asks the guard in front; nil where there is none, or none that may be asked
	Log   *log.Logger      // where failures go; nil is the standard logger
}

type app struct{ Config }

// Handler returns the application. It serves everything but /static/, which is files.
func Handler(config Config) http.Handler {
	if config.Log == nil {
		config.Log = log.Default()
	}
	a := &app{config}
	mux := http.NewServeMux()
	for _, at := range []struct {
		path      string
		get, post http.HandlerFunc
	}{
		{"/{$}", a.index, nil},
		{"/orders", a.orders, nil},
		{"/orders/{number}", a.receipt, nil},
		{"/api/trail", a.trail, nil},

		{idempotencyKey.path, a.idempotencyKeyPage, nil},
		{"/api/recipes/idempotency-key/form", a.idempotencyKeyForm, nil},
		{idempotencyKeyOrder.action, nil, a.place(&idempotencyKeyOrder)},

		{postRedirectGet.path, a.postRedirectGetPage, nil},
		{postRedirectGetOrder.action, nil, a.place(&postRedirectGetOrder)},

		{asyncJob.path, a.asyncJobPage, nil},
		{asyncJob.path + "/{id}", a.job, nil},
		{asyncJob.path + "/{id}/result", a.jobResult, nil},
		{"/api/recipes/async-job/jobs", nil, a.posted(a.startJob)},
		{"/api/recipes/async-job/count", a.jobCount, nil},

		{workflowActions.path, a.workflowStart, nil},
		{workflowActions.path + "/{id}", a.workflowPage, nil},
		{"/api/recipes/workflow-actions/requests", nil, a.posted(a.addRequest(&workflowActions, store.Review))},
		{"/api/recipes/workflow-actions/{id}/transition", nil, a.posted(a.transition)},
		{"/api/recipes/workflow-actions/{id}/colleague", nil, a.posted(a.colleagueApproves)},

		{sessionExpiry.path, a.sessionExpiryPage, nil},
		{sessionExpiry.path + "/sign-in", a.signInPage, nil},
		{sessionExpiryOrder.action, nil, a.signedIn(a.place(&sessionExpiryOrder))},
		{"/api/recipes/session-expiry/sign-in", nil, a.posted(a.signIn)},
		{"/api/recipes/session-expiry/end", nil, a.posted(a.endSession)},

		{editConflict.path, a.editStart, nil},
		{editConflict.path + "/{id}", a.editPage, nil},
		{"/api/recipes/edit-conflict/requests", nil, a.posted(a.addRequest(&editConflict, store.Draft))},
		{"/api/recipes/edit-conflict/{id}", a.editForm, a.posted(a.save)},
		{"/api/recipes/edit-conflict/{id}/colleague", nil, a.posted(a.colleagueSaves)},

		{networkRetry.path, a.networkRetryPage, nil},
		{networkRetryOrder.action, nil, a.place(&networkRetryOrder)},

		{paymentsAPI.path, a.paymentsAPIPage, nil},
		{"/api/recipes/api/count", a.paymentCount, nil},
		{"/api/v1/payments", nil, a.createPayment},
		{"/api/v1/payments/{number}", a.readPayment, nil},

		{webhook.path, a.webhookPage, nil},
		{"/api/recipes/webhook/events", a.eventCount, a.receiveEvent},
		{"/api/unguarded/webhook/events", nil, a.receiveEvent},

		{backstop.path, a.backstopPage, nil},
		{"/api/recipes/backstop/payments", a.paymentsOfBill, a.posted(a.pay)},
		{"/api/recipes/backstop/jobs/{id}/run", nil, a.posted(a.runJob)},

		{breakIt.path, a.breakPage, nil},
		{"/api/break/orders", a.runCount, a.posted(a.attacked)},
		{"/api/unguarded/break/orders", nil, a.posted(a.attacked)},

		{checklist.path, a.checklistPage, nil},
		{"/api/unguarded/payments", nil, a.posted(a.pay)},
	} {
		mux.HandleFunc(at.path, a.methods(at.get, at.post))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.refuse(w, r, http.StatusNotFound) })
	return mux
}

// methods answers each method with its handler, nil where there is none, and 405 with the methods that work for
// the others (RFC 9110 section 15.5.6). GET answers HEAD as well: whoever serves drops the body.
func (a *app) methods(get, post http.HandlerFunc) http.HandlerFunc {
	allowed := "GET, HEAD, POST"
	switch {
	case post == nil:
		allowed = "GET, HEAD"
	case get == nil:
		allowed = "POST"
	}
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case get != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			get(w, r)
		case post != nil && r.Method == http.MethodPost:
			post(w, r)
		default:
			w.Header().Set("Allow", allowed)
			a.refuse(w, r, http.StatusMethodNotAllowed)
		}
	}
}
