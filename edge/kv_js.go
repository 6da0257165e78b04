package edge

import (
	"context"
	"errors"
	"math"
	"syscall/js"
	"time"

	"github.com/syumai/workers/cloudflare"
)

// KV is the Answers in the KV namespace behind a binding of the Worker.
func KV(binding string) Answers { return kv(binding) }

// kv calls the namespace itself: what syumai/workers v0.33.0 makes of a missing key is the text "<null>".
type kv string

func (k kv) namespace() (js.Value, error) {
	namespace := cloudflare.GetBinding(string(k))
	if namespace.IsUndefined() {
		return js.Value{}, errors.New("edge: the Worker has no KV binding " + string(k))
	}
	return namespace, nil
}

// Keep is Answers'. KV keeps nothing for less than a minute.
func (k kv) Keep(ctx context.Context, name string, value []byte, ttl time.Duration) error {
	namespace, err := k.namespace()
	if err != nil {
		return err
	}
	if value == nil {
		value = []byte{}
	}
	_, err = called(ctx, namespace, "put", name, toJS(value), map[string]any{"expirationTtl": max(60, math.Ceil(ttl.Seconds()))})
	return err
}

// Fetch is Answers'.
func (k kv) Fetch(ctx context.Context, name string) ([]byte, error) {
	namespace, err := k.namespace()
	if err != nil {
		return nil, err
	}
	value, err := called(ctx, namespace, "get", name, "arrayBuffer")
	if err != nil {
		return nil, err
	}
	return fromJS(value), nil
}

// Drop is Answers'.
func (k kv) Drop(ctx context.Context, name string) error {
	namespace, err := k.namespace()
	if err != nil {
		return err
	}
	_, err = called(ctx, namespace, "delete", name)
	return err
}
