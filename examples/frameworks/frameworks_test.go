//go:build unix

// Package frameworks tries the guard in front of applications that know nothing of it, in the frameworks that
// docs/guide.md names, each with its own protection against forged requests: in workerd, over http and as over a zone's
// https. FRAMEWORKS=1 says that they are installed (make frameworks).
package frameworks

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// framework is one of them. Its shop has the same pages in each.
type framework struct {
	name   string
	amount string // the name of the field
	photo  string // the name of the file field, "" where there is none
	rules  string // what the guide says to set for it, beside the application's own settings
	flash  string // where it keeps "Order placed" until the next page: "cookie", "server", "" where it says nothing
	shop   func(port int, folder, origin string) *exec.Cmd
}

var frameworks = []framework{
	{name: "Rails", amount: "order[amount]", photo: "order[photo]", flash: "cookie", shop: func(port int, folder, origin string) *exec.Cmd {
		return exec.Command("ruby", "rails_shop.rb", strconv.Itoa(port), filepath.Join(folder, "shop.db"), origin)
	}},
	{name: "Django", amount: "amount", photo: "photo", flash: "cookie", rules: `[{"match":"/**","redisplay":["errorlist"]}]`,
		shop: func(port int, folder, origin string) *exec.Cmd {
			return exec.Command("/usr/bin/python3", "django_shop.py", strconv.Itoa(port), filepath.Join(folder, "shop.db"), origin)
		}},
	{name: "Laravel", amount: "amount", photo: "photo", flash: "server", rules: `[{"match":"/**","release_redirects":["/**/new"]}]`,
		shop: func(port int, folder, _ string) *exec.Cmd {
			c := exec.Command("php", "-S", "127.0.0.1:"+strconv.Itoa(port), "laravel_shop.php")
			c.Env = append(os.Environ(), "SHOP="+folder, "PHP_CLI_SERVER_WORKERS=4")
			return c
		}},
	{name: "Express", amount: "amount", shop: func(port int, folder, _ string) *exec.Cmd {
		return exec.Command("../../node_modules/.bin/node", "express_shop.mjs", strconv.Itoa(port), filepath.Join(folder, "shop.db"))
	}},
	{name: "Go", amount: "amount", photo: "photo"},
}

func TestFrameworks(t *testing.T) {
	if testing.Short() {
		t.Skip("needs workerd: not part of -short")
	}
	for _, f := range frameworks {
		for _, scheme := range []string{"http", "https"} {
			t.Run(f.name+" over "+scheme, func(t *testing.T) {
				if f.shop != nil && os.Getenv("FRAMEWORKS") == "" {
					t.Skip("make frameworks runs this: the framework is not part of make test")
				}
				try(t, f, scheme == "https")
			})
		}
	}
}

func try(t *testing.T, f framework, https bool) {
	port, err := workerd.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"dev", "-c", "wrangler.toml", "--var", "SINGLESHOT_SECRET:a-secret-for-tests-0123456789abcdef",
		"--var", "ORIGIN_URL:http://127.0.0.1:" + strconv.Itoa(port)}
	if f.rules != "" {
		args = append(args, "--var", "RULES:"+f.rules)
	}
	if https { // as behind a zone's route
		args = append(args, "--local-upstream", "shop.example.com", "--upstream-protocol", "https")
	}
	w, err := workerd.Start(workerd.Options{State: t.TempDir(), Args: args})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	v := &visitor{t: t, guard: w, seen: w.URL}
	if https {
		v.seen = "https://shop.example.com"
	}
	folder := t.TempDir()
	if f.shop != nil {
		open(t, f.shop(port, folder, v.seen), folder, port)
	} else {
		netHTTP(t, port, v.seen)
	}
	orders := func() int {
		t.Helper()
		n, err := strconv.Atoi(v.get("/").body)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}

	// The three branches.
	form := v.form("/orders/new", f.amount, "5")
	first := form.submit().must("a form with its framework's token", "created", 302, 303)
	place := v.place(first)
	form.submit().must("pressed again", "replayed", first.status).same(first)
	form.with(v.form("/orders/new", "", "")).submit().must("with a token of a later page", "replayed", first.status).same(first)
	if got := form.set(f.amount, "6").submit().must("another amount", "mismatch", 422); !strings.Contains(got.body, place+"<") {
		t.Errorf("mismatch = %s\n\twant the order %s named", got.body, place)
	}
	if got := orders(); got != 1 {
		t.Fatalf("%d orders; want 1", got)
	}

	// What it says once is said again after a replay where a cookie of the answer says it: for twenty seconds the browser
	// may have thrown the first answer away.
	if f.flash != "" {
		form = v.form("/orders/new", f.amount, "5")
		place := v.place(form.submit())
		said := func() bool { return strings.Contains(v.get(place).body, "Order placed") }
		if !said() || said() {
			t.Error("the flash is not on the first page alone")
		}
		form.submit().must("pressed again, after its page", "replayed", first.status)
		if got := said(); got != (f.flash == "cookie") {
			t.Errorf("flash after the replay = %t; kept by: %s", got, f.flash)
		}
	}
	placed := orders()

	// A double click, and the two answers.
	form = v.form("/orders/new", f.amount, "7")
	var both [2]*answer
	var done sync.WaitGroup
	for i := range both {
		done.Go(func() { both[i] = form.submit() })
	}
	done.Wait()
	both[1].same(both[0])
	if got := orders(); got != placed+1 {
		t.Fatalf("%d orders after a double click; want %d", got, placed+1)
	}

	// A typing error spends nothing, however the framework tells it: Back and the corrected form goes through, and so
	// does the page that came back.
	form = v.form("/orders/new", f.amount, "none")
	wrong := form.submit().must("a typing error", "released", 200, 302, 422)
	form.set(f.amount, "8").submit().must("Back, and corrected", "created", 302, 303)
	if wrong.status == 302 {
		wrong = v.get(v.place(wrong))
	}
	v.formIn(wrong, "/orders/new", "").set(f.amount, "8").submit().must("corrected on the page that came back", "created", 302, 303)

	// An edit, with PATCH in a hidden field where the framework does so.
	edit := v.form("/orders/1", f.amount, "9")
	edit.submit().must("an edit", "created", 302, 303)
	edit.submit().must("an edit, pressed again", "replayed", 302, 303)
	if got := v.get("/orders/1").body; !strings.Contains(got, "Order 1: 9") {
		t.Errorf("order = %s; want 9", got)
	}

	// Signed out in between: the order goes through after the sign-in, with the key that it had.
	form = v.form("/members/orders/new", f.amount, "10")
	form.submit().must("a redirect to the sign-in page", "released", 302)
	v.get("/sign-in")
	form = form.with(v.form("/members/orders/new", "", ""))
	form.submit().must("after the sign-in", "created", 302, 303)
	form.submit().must("after the sign-in, pressed again", "replayed", 302, 303)

	// A file.
	if f.photo != "" {
		form = v.form("/orders/new", f.amount, "11")
		form.file, form.content = f.photo, strings.Repeat("a photo ", 300_000)
		first := form.submit().must("an upload of 2.4 MB", "created", 302, 303)
		form.submit().must("an upload, pressed again", "replayed", first.status).same(first)
		if got := v.get(v.place(first)).body; !strings.Contains(got, "photo.jpg") {
			t.Errorf("order = %s; want the name of its photo", got)
		}
	}

	// Signing out: the form has no key, and who comes next is another visitor.
	before := v.cookie("singleshot")
	out := v.formAt("/orders/new", "/logout")
	if out.values.Has("idempotency_key") {
		t.Error("the form that signs out has a key")
	}
	out.submit()
	if after := v.cookie("singleshot"); after == "" || after == before {
		t.Errorf("visitor = %q before and %q after signing out", before, after)
	}
}

// open starts a shop and waits until it answers; it ends with the test.
func open(t *testing.T, c *exec.Cmd, folder string, port int) {
	t.Helper()
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // it may have ended by itself
		_ = c.Wait()                                      // "killed"
		log.Close()
		if b, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("%s", b[max(0, len(b)-4000):])
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		res, err := http.Get("http://127.0.0.1:" + strconv.Itoa(port))
		if err == nil {
			res.Body.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
