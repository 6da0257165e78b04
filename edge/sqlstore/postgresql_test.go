//go:build unix

package sqlstore_test

import (
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// postgresql is a real server, over a folder of its own, that listens on a socket there.
type postgresql struct {
	programs string
	folder   string
	identity *syscall.SysProcAttr
	command  *exec.Cmd
	leash    io.WriteCloser // the server ends when this closes, also when the test binary dies
	output   *os.File
}

var (
	postgresqlOnce sync.Once
	postgresqlOne  *postgresql
	postgresqlErr  error
)

// startPostgreSQL returns the server that all tests share.
func startPostgreSQL(t *testing.T) *postgresql {
	t.Helper()
	if testing.Short() {
		t.Skip("needs PostgreSQL: not part of -short")
	}
	postgresqlOnce.Do(func() { postgresqlOne, postgresqlErr = newPostgreSQL() })
	if postgresqlErr != nil {
		t.Fatal(postgresqlErr)
	}
	return postgresqlOne
}

func newPostgreSQL() (*postgresql, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	script := exec.Command(filepath.Join(root, "scripts", "postgresql.sh"))
	script.Stderr = os.Stderr
	out, err := script.Output()
	if err != nil {
		return nil, fmt.Errorf("scripts/postgresql.sh: %w", err)
	}
	p := &postgresql{programs: strings.TrimSpace(string(out)), identity: &syscall.SysProcAttr{Setpgid: true}}
	// Not t.TempDir: the path of a socket has 107 bytes at most.
	if p.folder, err = os.MkdirTemp("", "pg-"); err != nil {
		return nil, err
	}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		p.identity.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(p.folder, uid, gid); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(p.folder, "data")
	initdb := exec.Command(filepath.Join(p.programs, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = p.identity, p.folder
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if p.output, err = os.Create(filepath.Join(p.folder, "log")); err != nil {
		return nil, err
	}
	return p, p.start()
}

// start starts the server over what is there, and returns when it answers.
func (p *postgresql) start() error {
	c := exec.Command("sh", "-c", `"$@" </dev/null & cat >/dev/null; kill -QUIT $!; wait`, "leash",
		filepath.Join(p.programs, "postgres"), "-D", filepath.Join(p.folder, "data"), "-k", p.folder,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300",
		"-c", "shared_buffers=64MB")
	c.SysProcAttr, c.Dir, c.Stdout, c.Stderr = p.identity, p.folder, p.output, p.output
	leash, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.command, p.leash = c, leash
	db, err := sql.Open("pgx", p.source("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err = db.Ping(); err == nil {
			return nil
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(p.output.Name())
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, log)
		}
	}
}

// source names a database to the driver.
func (p *postgresql) source(database string) string {
	return "host=" + p.folder + " user=postgres dbname=" + database
}

// crash ends the server at once, with all that is under way.
func (p *postgresql) crash() {
	if p.command != nil {
		p.leash.Close()
		_ = p.command.Wait() // it ends by a signal
		p.command = nil
	}
}

// remove ends the server and takes everything away.
func (p *postgresql) remove() {
	p.crash()
	p.output.Close()
	os.RemoveAll(p.folder)
}

var databases int

// database makes an empty database and opens it.
func (p *postgresql) database(t *testing.T) (db *sql.DB, source string) {
	t.Helper()
	admin, err := sql.Open("pgx", p.source("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	databases++
	name := fmt.Sprintf("test%d", databases)
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	return open(t, "pgx", p.source(name)), p.source(name)
}
