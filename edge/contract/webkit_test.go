//go:build unix

package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// webkit speaks WebDriver with WebKitGTK's small browser, whose engine is Safari's.
type webkit struct{ session string }

func startWebKit(t *testing.T) engine {
	t.Helper()
	binaries, err := filepath.Glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
	if err != nil || len(binaries) == 0 {
		t.Fatal("no MiniBrowser of WebKitGTK: make browsers installs it on Debian")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := fmt.Sprint(free.Addr().(*net.TCPAddr).Port)
	free.Close()
	c := exec.Command(found(t, "WebKitWebDriver"), "--host=127.0.0.1", "--port="+port)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	b := &webkit{"http://127.0.0.1:" + port + "/session"}
	var made struct{ SessionID string }
	wish := map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"webkitgtk:browserOptions": map[string]any{"binary": binaries[0], "args": []string{"--automation"}}}}}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if err = b.call("POST", "", wish, &made); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no session: %v", err)
		}
	}
	b.session += "/" + made.SessionID
	t.Cleanup(func() { _ = b.call("DELETE", "", nil, nil) })
	return b
}

func (b *webkit) call(method, command string, params, result any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, b.session+command, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 2 * time.Minute}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", command, answer.Value)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, result)
}

func (b *webkit) open(url string) error {
	return b.call("POST", "/url", map[string]any{"url": url}, nil)
}
func (b *webkit) reload() error { return b.call("POST", "/refresh", map[string]any{}, nil) }
func (b *webkit) back() error   { return b.call("POST", "/back", map[string]any{}, nil) }

func (b *webkit) eval(expression string) (json.RawMessage, error) {
	var value string
	err := b.call("POST", "/execute/async", map[string]any{"args": []any{}, "script": `const done = arguments[0];
		Promise.resolve(` + expression + `).then((value) => done(JSON.stringify(value) ?? "null"))`}, &value)
	return json.RawMessage(value), err
}

func (b *webkit) press(x, y, times int) error {
	return b.call("POST", "/actions", map[string]any{"actions": pressing(x, y, times)}, nil)
}

func (b *webkit) key(text string) error {
	return b.call("POST", "/actions", map[string]any{"actions": typing(text)}, nil)
}
