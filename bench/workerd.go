package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// workerd is a running Worker.
type workerd struct {
	command *exec.Cmd
	address string // host:port
	dir     string
}

// startWorkerd serves a candidate and waits until it listens. Its storage is in dir.
func startWorkerd(c *candidate, dir string, o *origin) (*workerd, error) {
	config, err := c.config(dir, o)
	if err != nil {
		return nil, err
	}
	binary, err := workerdBinary()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	control, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer control.Close()
	w := &workerd{command: exec.Command(binary, "serve", "--control-fd=3", config, "config"), dir: dir}
	w.command.Stdout, w.command.Stderr = log, log
	w.command.ExtraFiles = []*os.File{theirs}
	err = w.command.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	// workerd reports its port on the control pipe, or ends and closes it.
	lines := bufio.NewScanner(control)
	for lines.Scan() {
		var event struct {
			Event, Socket string
			Port          int
		}
		if json.Unmarshal(lines.Bytes(), &event) == nil && event.Event == "listen" && event.Socket == "http" {
			w.address = "127.0.0.1:" + strconv.Itoa(event.Port)
			return w, nil
		}
	}
	w.stop()
	return nil, fmt.Errorf("workerd did not start: %s", w.log())
}

// log is the end of what workerd and the Worker said.
func (w *workerd) log() string {
	text, _ := os.ReadFile(filepath.Join(w.dir, "log")) // only for a message
	return string(text[max(0, len(text)-600):])
}

func (w *workerd) stop() {
	if w.command.Process != nil && w.command.ProcessState == nil {
		_ = w.command.Process.Kill() // it may have ended
		_ = w.command.Wait()
	}
}

func workerdBinary() (string, error) {
	found, err := filepath.Glob("node_modules/@cloudflare/workerd-*/bin/workerd")
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", errors.New("node_modules has no workerd: run this from the repository's root, after npm ci")
	}
	return found[0], nil
}

// cpu is the processor time that the process has used, in user and kernel mode.
func (w *workerd) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The second field, the name in parentheses, may hold anything.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc: a stat of another form")
	}
	var ticks int64
	for _, field := range fields[11:13] { // utime and stime: fields 14 and 15 of proc(5)
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100), nil // USER_HZ
}

// forgetPeak makes peak start again from what is resident now.
func (w *workerd) forgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", w.command.Process.Pid), []byte("5"), 0)
}

// peak is the most memory that was resident since forgetPeak, in bytes.
func (w *workerd) peak() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	value, _, _ := strings.Cut(rest, "kB")
	kib, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	return kib << 10, err
}
