package edge

import (
	"context"
	"syscall/js"

	"github.com/singleshot-edge/singleshot/edge/internal/promise"
)

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
			err = promise.Error(thrown.Value)
		}
	}()
	return promise.Await(ctx, on.Call(method, args...))
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
