//go:build !js && !wasip1

package app

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func TestHTTPHtmxOrderIsAFragment(t *testing.T) {
	base := origin(t)
	got := send(t, "POST", base+place, "item=tea&amount=2%2C400", htmx)
	if got.status != 200 || strings.Contains(got.body, "<html") {
		t.Fatalf("POST = %d %s; want a 200 fragment", got.status, got.body)
	}
	number := found(t, numberAttribute, got.body)
	for _, part := range []string{`class="hc-card`, "Green tea", "¥2,400", `href="/orders/` + number + `"`, "Order <strong"} {
		if !strings.Contains(got.body, part) {
			t.Errorf("the fragment lacks %q:\n%s", part, got.body)
		}
	}
	var events map[string]map[string]string
	if err := json.Unmarshal([]byte(got.header.Get("HX-Trigger")), &events); err != nil {
		t.Fatalf("HX-Trigger: %v", err)
	}
	if toast := events["hc:toast"]; toast["message"] != "Order "+number+" is placed." || toast["variant"] != "success" {
		t.Errorf("HX-Trigger hc:toast = %v; want the order's number and success", toast)
	}
	if _, ok := events["orders-changed"]; !ok {
		t.Error("HX-Trigger does not make the list read itself again")
	}
	if record := got.header.Get("Idempotency-Record"); record != "</orders/"+number+`>; title="Order `+number+`"` {
		t.Errorf("Idempotency-Record = %s", record)
	}
}

func TestHTTPPlainOrderLeadsToItsReceipt(t *testing.T) {
	base := origin(t)
	got := send(t, "POST", base+place, "item=lamp&amount=990")
	place := got.header.Get("Location")
	if got.status != 303 || !regexp.MustCompile(`^/orders/\d+$`).MatchString(place) {
		t.Fatalf("POST = %d to %q; want 303 to /orders/<number>", got.status, place)
	}
	if record := got.header.Get("Idempotency-Record"); !strings.HasPrefix(record, "<"+place+">; title=") {
		t.Errorf("Idempotency-Record = %s; want it to name %s", record, place)
	}
	receipt := send(t, "GET", base+place, "")
	if receipt.status != 200 || "/orders/"+found(t, numberAttribute, receipt.body) != place {
		t.Fatalf("GET %s = %d; want the receipt", place, receipt.status)
	}
	for _, part := range []string{"Desk lamp", "¥990", "<time datetime="} {
		if !strings.Contains(receipt.body, part) {
			t.Errorf("the receipt lacks %q", part)
		}
	}
}

// The origin itself knows no duplicates: that is what the guard is for.
func TestHTTPEveryRequestIsAnOrderOfItsOwn(t *testing.T) {
	base := origin(t)
	first := send(t, "POST", base+place, "item=tea&amount=5", htmx, "Idempotency-Key: same")
	second := send(t, "POST", base+place, "item=tea&amount=5", htmx, "Idempotency-Key: same")
	if a, b := found(t, numberAttribute, first.body), found(t, numberAttribute, second.body); a == b {
		t.Errorf("two requests got one number %s; want two", a)
	}
}

func TestHTTPListFollowsTheOrders(t *testing.T) {
	base := origin(t)
	placed := send(t, "POST", base+place, "item=coffee&amount=7", htmx)
	number := found(t, numberAttribute, placed.body)
	fragment := send(t, "GET", base+"/orders", "", htmx)
	if fragment.status != 200 || strings.Contains(fragment.body, "<html") {
		t.Fatalf("GET /orders by htmx = %d %s; want a fragment", fragment.status, fragment.body)
	}
	if !strings.Contains(fragment.body, `href="/orders/`+number+`"`) {
		t.Errorf("the list lacks order %s:\n%s", number, fragment.body)
	}
	for _, path := range []string{idempotencyKey.path, "/orders"} {
		page := send(t, "GET", base+path, "")
		if found(t, countAttribute, page.body) != found(t, countAttribute, fragment.body) {
			t.Errorf("%s and the fragment count differently", path)
		}
		if !strings.Contains(page.body, "<html") {
			t.Errorf("GET %s is no full page", path)
		}
		// On the page of orders every row names its order; on the recipe's only an answer does.
		if got := strings.Contains(page.body, `data-order-number="`+number+`"`); got != (path == "/orders") {
			t.Errorf("GET %s marks order %s: %v", path, number, got)
		}
	}
}

func TestPlacedTimeIsTheClock(t *testing.T) {
	server := httptest.NewServer(demo(t, nil))
	defer server.Close()
	send(t, "POST", server.URL+place, "item=tea&amount=5")
	for lang, want := range map[string]string{"en": "30 November 2026, 09:05:07 UTC", "ja": "2026年11月30日 09:05:07 UTC"} {
		if got := send(t, "GET", server.URL+"/orders/1042?lang="+lang, ""); !strings.Contains(got.body, `<time datetime="2026-11-30T09:05:07Z">`+want) {
			t.Errorf("the %s receipt lacks %q", lang, want)
		}
	}
}
