//go:build unix

package sqlstore_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/sqlstore"
)

// process is a server in a process of its own: this test binary, started once more.
type process struct {
	source string

	mu      sync.Mutex
	url     string
	command *exec.Cmd
	leash   io.WriteCloser // the process ends when this closes
}

func (p *process) start() error {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "PAYMENTS="+p.source)
	c.Stderr = os.Stderr
	leash, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the server did not start: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.command, p.leash, p.url = c, leash, strings.TrimSpace(line)
	return nil
}

// kill ends it at once, whatever it does.
func (p *process) kill() {
	_ = p.command.Process.Kill() // it may have ended by itself
	p.leash.Close()
	_ = p.command.Wait() // "killed"
}

func (p *process) address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url
}

// servePayments is that process. A payment has no constraint of its own that would keep a second one out.
func servePayments(source string) error {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // who started it is gone
	}()
	db, err := sql.Open("pgx", source)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(30)
	store, err := sqlstore.Open(context.Background(), db, sqlstore.PostgreSQL)
	if err != nil {
		return err
	}
	pay := func(w http.ResponseWriter, r *http.Request) {
		some := func() { time.Sleep(rand.N(20 * time.Millisecond)) }
		some()
		err := store.Transact(r.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(r.Context(), "INSERT INTO paid VALUES ($1)", r.Header.Get("Idempotency-Key"))
			some()
			return err
		})
		if err != nil {
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		some()
		io.WriteString(w, "paid")
	}
	h := edge.Handler(http.HandlerFunc(pay), edge.Options{
		Secret: "a-secret-for-tests-0123456789abcdef", Store: store, Logger: quietLogger(),
		Rules: []edge.Rule{{Match: "/**", Key: "header", Subject: "none", Lease: time.Second}},
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, h)
}

// TestProcessesThatAreKilledPayOnce lets many clients send every payment again and again to several processes over
// one database, which are killed at random, until each payment has been answered for.
func TestProcessesThatAreKilledPayOnce(t *testing.T) {
	const processes, clients, payments = 4, 16, 240
	p := startPostgreSQL(t)
	db, source := p.database(t)
	if _, err := db.Exec("CREATE TABLE paid (key text NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	servers := make([]*process, processes)
	for i := range servers {
		servers[i] = &process{source: source}
		if err := servers[i].start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(servers[i].kill)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))

	done, kills := make(chan struct{}), 0
	var killer sync.WaitGroup
	killer.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(50+chance.IntN(150)) * time.Millisecond):
			}
			s := servers[chance.IntN(processes)]
			s.kill()
			kills++
			if err := s.start(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 30 * time.Second}
	// Each payment is sent by two clients, to whichever process, until it has a final answer.
	work := make(chan string, 2*payments)
	for n := range 2 * payments {
		work <- fmt.Sprintf("payment-%08d", n/2)
	}
	close(work)
	var all sync.WaitGroup
	var mu sync.Mutex
	outcomes := map[string]int{}
	for range clients {
		all.Go(func() {
			for key := range work {
				for end := time.Now().Add(3 * time.Minute); ; {
					outcome := pay(client, servers[rand.IntN(processes)].address(), key)
					mu.Lock()
					outcomes[outcome]++
					mu.Unlock()
					if outcome == "created" || outcome == "replayed" {
						break
					}
					if time.Now().After(end) {
						t.Errorf("%s has no final answer after three minutes; the last was %q", key, outcome)
						break
					}
				}
			}
		})
	}
	all.Wait()
	close(done)
	killer.Wait()
	t.Logf("%d kills; answers: %v", kills, outcomes)

	var paid, twice int
	if err := db.QueryRow("SELECT count(DISTINCT key), count(*) - count(DISTINCT key) FROM paid").Scan(&paid, &twice); err != nil {
		t.Fatal(err)
	}
	if paid != payments || twice != 0 {
		t.Errorf("%d payments are there and %d of them again; want %d once each", paid, twice, payments)
	}
	if kills < 5 || outcomes["broken"] == 0 {
		t.Errorf("%d kills broke %d connections; want enough of them to mean something", kills, outcomes["broken"])
	}
}

// pay sends a payment and says how it ended.
func pay(client *http.Client, url, key string) string {
	r, err := http.NewRequest("POST", url+"/pay", strings.NewReader("{}"))
	if err != nil {
		return err.Error()
	}
	r.GetBody = nil // no silent second attempt by this client
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	res, err := client.Do(r)
	if err != nil {
		return "broken"
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode == 200 && string(body) != "paid" {
		return "broken"
	}
	return res.Header.Get("Idempotency-Status")
}
