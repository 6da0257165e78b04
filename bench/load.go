package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load sends requests over a number of kept connections until the time is over or there are no more, and
// returns how long each answer took. The first answer that check refuses ends it.
func load(address string, connections int, limit time.Duration, requests func(i int) (string, bool), check func(*http.Response, []byte) error) ([]time.Duration, error) {
	var (
		next    atomic.Int64
		mutex   sync.Mutex
		took    []time.Duration
		failure error
		group   sync.WaitGroup
	)
	end := time.Now().Add(limit)
	for range connections {
		group.Go(func() {
			mine, err := oneConnection(address, func() (string, bool) {
				if time.Now().After(end) {
					return "", false
				}
				return requests(int(next.Add(1)) - 1)
			}, check)
			mutex.Lock()
			defer mutex.Unlock()
			took = append(took, mine...)
			if err != nil {
				failure = err
			}
		})
	}
	group.Wait()
	return took, failure
}

// oneConnection speaks HTTP/1.1 itself: a client library would take more time than the Worker does.
func oneConnection(address string, next func() (string, bool), check func(*http.Response, []byte) error) (took []time.Duration, err error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	reader := bufio.NewReaderSize(connection, 64<<10)
	for {
		request, ok := next()
		if !ok {
			return took, nil
		}
		began := time.Now()
		if err := connection.SetDeadline(began.Add(30 * time.Second)); err != nil {
			return took, err
		}
		if _, err := io.WriteString(connection, request); err != nil {
			return took, err
		}
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			return took, err
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
		if err := check(answer, body); err != nil {
			return took, fmt.Errorf("%s: %w", answer.Status, err)
		}
	}
}

const browser = "Host: shop.example\r\n" +
	"Accept: text/html,*/*;q=0.8\r\nAccept-Language: en-GB,en;q=0.9\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36\r\n" +
	"Sec-Fetch-Site: same-origin\r\n"

// get is the text of a request for a page.
func get(path, cookie string) string {
	return "GET " + path + " HTTP/1.1\r\n" + browser + cookieLine(cookie) + "Sec-Fetch-Mode: navigate\r\n\r\n"
}

// post is the text of a submit of the order form of ten fields, by htmx.
func post(path, cookie, key string) string {
	body := "idempotency_key=" + key + "&name=Ada+Lovelace&email=ada%40example.com&phone=%2B44+20+7946+0000" +
		"&street=12+St+James%27s+Square&city=London&postcode=SW1Y+4LB&country=GB&amount=120.00&delivery=next-day&note=please+ring+twice"
	return fmt.Sprintf("POST %s HTTP/1.1\r\n%s%sSec-Fetch-Mode: cors\r\nHX-Request: true\r\nHX-Current-URL: http://shop.example/shop\r\n"+
		"Origin: http://shop.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		path, browser, cookieLine(cookie), len(body), body)
}

func cookieLine(cookie string) string {
	if cookie == "" {
		return ""
	}
	return "Cookie: " + cookie + "\r\n"
}

// keysOf are the values of the key fields of a page.
func keysOf(html []byte) (keys []string) {
	for _, part := range strings.Split(string(html), `name="idempotency_key" value="`)[1:] {
		key, _, _ := strings.Cut(part, `"`)
		keys = append(keys, key)
	}
	return keys
}

// quantile of times that are sorted.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func median[T int | float64 | time.Duration](list []T) T {
	if len(list) == 0 {
		return 0
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}
