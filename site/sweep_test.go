//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// The sweep is the database's own work, and D1 is not the SQLite of the store's tests.
func TestD1SweepsOldRows(t *testing.T) {
	if testing.Short() {
		t.Skip("needs wrangler: not part of -short")
	}
	t.Parallel()
	state := t.TempDir()
	wrangler := func(args ...string) string {
		t.Helper()
		c, err := workerd.Wrangler(state, slices.Concat([]string{"d1"}, args, []string{"--persist-to", state})...)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("wrangler d1 %s: %v\n%s", args[0], err, out)
		}
		return string(out)
	}
	wrangler("migrations", "apply", "ORDERS", "--local", "-c", "site/wrangler.toml")
	const old, now = 1_000_000, 1_000_000 + 25*60*60 + 1
	counted := wrangler("execute", "ORDERS", "--local", "-c", "site/wrangler.toml", "--json", "--command", fmt.Sprintf(
		`INSERT INTO orders (item, amount, placed) VALUES %s; INSERT INTO orders (item, amount, placed) VALUES ('tea', 1, %d);
		SELECT COUNT(*) AS orders_left FROM orders`, strings.Repeat(fmt.Sprintf("('tea', 1, %d), ", old), 29)+fmt.Sprintf("('tea', 1, %d)", old), now))
	if !strings.Contains(strings.Join(strings.Fields(counted), ""), `"orders_left":11`) {
		t.Errorf("of 30 old orders and a new one there are %s; want 11 left", counted)
	}
}
