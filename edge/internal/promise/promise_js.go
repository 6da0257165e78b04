package promise

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"
)

// Await waits for a promise. What it is rejected with becomes an error with its text; of a context that is over, the
// error is the context's. (syumai/workers v0.33.0 keeps a callback of every promise for ever.)
func Await(ctx context.Context, promise js.Value) (js.Value, error) {
	type end struct {
		value js.Value
		err   error
	}
	ended := make(chan end, 1)
	var resolved, rejected js.Func
	release := func(e end) any {
		resolved.Release()
		rejected.Release()
		ended <- e
		return nil
	}
	resolved = js.FuncOf(func(_ js.Value, args []js.Value) any { return release(end{value: args[0]}) })
	rejected = js.FuncOf(func(_ js.Value, args []js.Value) any { return release(end{err: Error(args[0])}) })
	promise.Call("then", resolved, rejected)
	select {
	case e := <-ended:
		return e.value, e.err
	case <-ctx.Done():
		return js.Value{}, ctx.Err()
	}
}

// Error is an exception as an error.
func Error(v js.Value) error {
	if v.Type() != js.TypeObject {
		return fmt.Errorf("edge: %s", v.String())
	}
	text := v.Call("toString").String()
	for _, flag := range []string{"retryable", "overloaded"} {
		if v.Get(flag).Truthy() {
			text += " (" + flag + ")"
		}
	}
	return errors.New("edge: " + text)
}
