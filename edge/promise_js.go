package edge

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"
)

// await waits for a promise. What it is rejected with becomes an error with its text; of a context that is over, the
// error is the context's. (syumai/workers v0.33.0 keeps a callback of every promise for ever.)
func await(ctx context.Context, promise js.Value) (js.Value, error) {
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
	rejected = js.FuncOf(func(_ js.Value, args []js.Value) any { return release(end{err: jsError(args[0])}) })
	promise.Call("then", resolved, rejected)
	select {
	case e := <-ended:
		return e.value, e.err
	case <-ctx.Done():
		return js.Value{}, ctx.Err()
	}
}

// jsError is an exception as an error.
func jsError(v js.Value) error {
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

// called makes a call that returns a promise, and waits. An exception of the call itself is an error too.
func called(ctx context.Context, on js.Value, method string, args ...any) (v js.Value, err error) {
	if err := ctx.Err(); err != nil {
		return js.Value{}, err
	}
	defer func() {
		if cause := recover(); cause != nil {
			thrown, ok := cause.(js.Error)
			if !ok {
				panic(cause)
			}
			err = jsError(thrown.Value)
		}
	}()
	return await(ctx, on.Call(method, args...))
}

// toJS copies bytes; nil is null.
func toJS(b []byte) any {
	if b == nil {
		return nil
	}
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

// fromJS copies bytes out of an ArrayBuffer or a view of one; null and undefined are nil.
func fromJS(v js.Value) []byte {
	if v.IsNull() || v.IsUndefined() {
		return nil
	}
	if v.InstanceOf(js.Global().Get("ArrayBuffer")) {
		v = js.Global().Get("Uint8Array").New(v)
	}
	b := make([]byte, v.Get("byteLength").Int())
	js.CopyBytesToGo(b, v)
	return b
}
