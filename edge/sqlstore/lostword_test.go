//go:build unix

package sqlstore_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge/sqlstore"
)

// cutter stands between a client and PostgreSQL. While it is armed, it cuts the connection of the next COMMIT:
// before the server gets it, or after the server has carried it out and before the client hears of it.
type cutter struct {
	server string
	armed  atomic.Int32
}

const (
	cutBefore = 1
	cutAfter  = 2
)

// listen returns the folder of the socket to connect to.
func (c *cutter) listen(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "pg-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	l, err := net.Listen("unix", filepath.Join(folder, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.connect(client)
		}
	}()
	return folder
}

func (c *cutter) connect(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", filepath.Join(c.server, ".s.PGSQL.5432"))
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		client.Close()
	}()
	for piece := make([]byte, 64<<10); ; {
		n, err := client.Read(piece)
		if err != nil {
			return
		}
		cut := int32(0)
		if bytes.Contains(bytes.ToLower(piece[:n]), []byte("commit")) {
			cut = c.armed.Swap(0)
		}
		if cut == cutBefore {
			return
		}
		if cut == cutAfter {
			client.Close() // the server's word comes to nobody
		}
		if _, err := server.Write(piece[:n]); err != nil {
			return
		}
		if cut == cutAfter {
			time.Sleep(200 * time.Millisecond) // for the server to carry it out; later would only make the test weaker
			return
		}
	}
}

func TestTheLostWordOfACommit(t *testing.T) {
	p := startPostgreSQL(t)
	direct, source := p.database(t)
	c := &cutter{server: p.folder}
	through := open(t, "pgx", "host="+c.listen(t)+source[len("host="+p.folder):])
	s := storeIn(t, through, sqlstore.PostgreSQL)
	var l *ledger
	l = newLedger(t, direct, s, func(w http.ResponseWriter, r *http.Request) {
		if err := l.insert(r, 1); err != nil {
			t.Errorf("Transact = %v; want no error", err)
		}
		io.WriteString(w, "paid")
	})
	c.armed.Store(cutAfter)
	l.send(key, 200, "created")
	if c.armed.Load() != 0 {
		t.Fatal("no COMMIT was cut")
	}
	l.send(key, 200, "replayed")
	l.paid("1", "it was committed, and the record says so")

	const other = "fedcba9876543210"
	c.armed.Store(cutBefore)
	l.send(other, 502, "released")
	l.paid("1", "it was not committed, and nobody is told that it was")
	l.send(other, 200, "created")
	l.paid("1 2", "the next submit runs")
}
