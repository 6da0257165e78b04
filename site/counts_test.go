//go:build unix

package main

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
)

// fetched reads a page past the browser, as a visitor without cookies.
func fetched(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %d, %v", address, answer.StatusCode, err)
	}
	return string(body)
}

var orderCount = regexp.MustCompile(`data-order-count="(\d+)"`)

// placing counts the orders that are placed from now on, as the application's database has them.
func placing(t *testing.T, base string) (placed func(want int)) {
	t.Helper()
	count := func() int {
		t.Helper()
		m := orderCount.FindStringSubmatch(fetched(t, base+"/orders"))
		if m == nil {
			t.Fatal("the page of orders has no count")
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	return func(want int) {
		t.Helper()
		if got := count() - before; got != want {
			t.Errorf("%d orders were placed; want %d", got, want)
		}
	}
}
