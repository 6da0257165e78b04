package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/singleshot-edge/singleshot/site/app"
)

// trailOf asks the guard for trails with its admin secret, which never leaves the server. guard is where it is;
// "" is the origin that the visitor uses, and only right where nobody but the platform can say what that is.
func trailOf(transport http.RoundTripper, secret, guard string) app.TrailReader {
	return func(ctx context.Context, origin, key string) (*app.Trail, error) {
		ctx, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		r, err := http.NewRequestWithContext(ctx, "GET", cmp.Or(guard, origin)+"/_singleshot/keys/"+url.PathEscape(key), nil)
		if err != nil {
			return nil, fmt.Errorf("site: trail: %w", err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("Accept", "application/json")
		answer, err := transport.RoundTrip(r)
		if err != nil {
			return nil, fmt.Errorf("site: trail: %w", err)
		}
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusNotFound {
			return nil, nil
		}
		if answer.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("site: trail: the guard answers %d", answer.StatusCode)
		}
		var trail struct {
			Count   int
			Entries []struct {
				At              time.Time
				Event, Trigger  string
				Attempt, Status int
			}
		}
		if err := json.NewDecoder(answer.Body).Decode(&trail); err != nil {
			return nil, fmt.Errorf("site: trail: %w", err)
		}
		told := &app.Trail{Count: trail.Count}
		for _, e := range trail.Entries {
			told.Entries = append(told.Entries, app.TrailEntry{At: e.At, Event: e.Event, Attempt: e.Attempt, Status: e.Status, Trigger: e.Trigger})
		}
		return told, nil
	}
}
