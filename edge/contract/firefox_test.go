//go:build unix

package contract_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// firefox speaks WebDriver BiDi with one tab.
type firefox struct {
	line *websocket.Conn
	last int
	tab  string
}

func startFirefox(t *testing.T) engine {
	t.Helper()
	c := exec.Command(found(t, "firefox-esr", "firefox"), "--headless", "--remote-debugging-port", "0",
		"--remote-allow-origins", "http://127.0.0.1", "--profile", t.TempDir(), "--no-remote", "about:blank")
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	where := make(chan string, 1)
	go func() {
		listening := regexp.MustCompile(`WebDriver BiDi listening on (ws:\S+)`)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if found := listening.FindStringSubmatch(lines.Text()); found != nil {
				where <- found[1]
			}
		}
	}()
	f := &firefox{}
	select {
	case url := <-where:
		f.line, err = websocket.Dial(url+"/session", "", "http://127.0.0.1")
	case <-time.After(2 * time.Minute):
		t.Fatal("firefox says nothing of a port")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.line.Close() })
	var tree struct {
		Contexts []struct{ Context string }
	}
	if err := f.call("session.new", map[string]any{"capabilities": map[string]any{}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.call("browsingContext.getTree", map[string]any{}, &tree); err != nil || len(tree.Contexts) == 0 {
		t.Fatalf("no tab: %v", err)
	}
	f.tab = tree.Contexts[0].Context
	return f
}

// call sends a command and waits for its result; events are left out.
func (f *firefox) call(method string, params map[string]any, result any) error {
	f.last++
	if err := f.line.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		return err
	}
	if err := websocket.JSON.Send(f.line, map[string]any{"id": f.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		var answer struct {
			ID             int
			Error, Message string
			Result         json.RawMessage
		}
		if err := websocket.JSON.Receive(f.line, &answer); err != nil {
			return err
		}
		switch {
		case answer.ID != f.last:
		case answer.Error != "":
			return fmt.Errorf("%s: %s: %s", method, answer.Error, answer.Message)
		case result != nil:
			return json.Unmarshal(answer.Result, result)
		default:
			return nil
		}
	}
}

func (f *firefox) open(url string) error {
	return f.call("browsingContext.navigate", map[string]any{"context": f.tab, "url": url, "wait": "complete"}, nil)
}

func (f *firefox) reload() error {
	return f.call("browsingContext.reload", map[string]any{"context": f.tab, "wait": "complete"}, nil)
}

func (f *firefox) back() error {
	return f.call("browsingContext.traverseHistory", map[string]any{"context": f.tab, "delta": -1}, nil)
}

func (f *firefox) eval(expression string) (json.RawMessage, error) {
	var answer struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	err := f.call("script.evaluate", map[string]any{"target": map[string]any{"context": f.tab}, "awaitPromise": true,
		"expression": `Promise.resolve(` + expression + `).then((value) => JSON.stringify(value) ?? "null")`}, &answer)
	if err == nil && answer.Type != "success" {
		err = fmt.Errorf("%s: %s", expression, answer.ExceptionDetails.Text)
	}
	return json.RawMessage(answer.Result.Value), err
}

func (f *firefox) press(x, y, times int) error {
	return f.call("input.performActions", map[string]any{"context": f.tab, "actions": pressing(x, y, times)}, nil)
}

func (f *firefox) key(text string) error {
	return f.call("input.performActions", map[string]any{"context": f.tab, "actions": typing(text)}, nil)
}
