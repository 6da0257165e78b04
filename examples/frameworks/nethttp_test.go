//go:build unix

package frameworks

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
)

// netHTTP is the shop in Go, for a guard that visitors see at an origin.
func netHTTP(t *testing.T, port int, origin string) {
	t.Helper()
	forged := http.NewCrossOriginProtection()
	if err := forged.AddTrustedOrigin(origin); err != nil { // what docs/guide.md says to set behind ORIGIN_URL
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: forged.Handler(newShop())}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
}

type shop struct {
	http.ServeMux
	mu     sync.Mutex
	orders []order
}

type order struct {
	amount int
	photo  string
}

const shopPage = `<!doctype html><html lang="en"><title>Shop</title><h1>%s</h1>
<form method="post" enctype="multipart/form-data" action="%s"><input name="amount"> <input type="file" name="photo"> <button>Save</button></form>
<form method="post" action="/logout"><button>Sign out</button></form>`

func newShop() *shop {
	s := new(shop)
	s.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprint(w, len(s.orders))
	})
	s.HandleFunc("GET /orders/new", func(w http.ResponseWriter, r *http.Request) { page(w, 200, "New order", "/orders") })
	s.HandleFunc("POST /orders", s.place)
	s.HandleFunc("GET /members/orders/new", func(w http.ResponseWriter, r *http.Request) { page(w, 200, "New order", "/members/orders") })
	s.HandleFunc("POST /members/orders", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("user"); err != nil {
			http.Redirect(w, r, "/login", http.StatusFound)
			return
		}
		s.place(w, r)
	})
	s.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.with(w, r, func(o *order) {
			page(w, 200, fmt.Sprintf("Order %s: %d %s", r.PathValue("id"), o.amount, o.photo), r.URL.Path)
		})
	})
	s.HandleFunc("POST /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.with(w, r, func(o *order) {
			o.amount, _ = strconv.Atoi(r.FormValue("amount"))
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		})
	})
	s.HandleFunc("GET /sign-in", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "user", Value: "ada", Path: "/"})
	})
	s.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "user", Path: "/", MaxAge: -1})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
	return s
}

func page(w http.ResponseWriter, status int, title, action string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, shopPage, title, action)
}

func (s *shop) place(w http.ResponseWriter, r *http.Request) {
	amount, err := strconv.Atoi(r.FormValue("amount"))
	if err != nil {
		page(w, http.StatusUnprocessableEntity, "New order: a number, please", r.URL.Path)
		return
	}
	o := order{amount: amount}
	if _, head, err := r.FormFile("photo"); err == nil {
		o.photo = head.Filename
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders = append(s.orders, o)
	http.Redirect(w, r, fmt.Sprintf("/orders/%d", len(s.orders)), http.StatusSeeOther)
}

// with finds the order that a path names.
func (s *shop) with(w http.ResponseWriter, r *http.Request, do func(*order)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || id < 1 || id > len(s.orders) {
		http.NotFound(w, r)
		return
	}
	do(&s.orders[id-1])
}
