package edge

import (
	"context"
	"log/slog"

	"github.com/singleshot-edge/singleshot/core"
)

// logger writes what the operator has to know: digests and globs, never a value from a visitor (contract §4).
type logger struct{ *slog.Logger }

// request is the line of one guarded request (contract §10).
func (l logger) request(c *carrier, e *core.Effect) {
	ctx, level := context.Background(), slog.LevelInfo
	if e.Warns() {
		level = slog.LevelWarn
	}
	if e.Outcome == "" || !l.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 8)
	if e.Shard != "" {
		attrs = append(attrs, slog.String("key", e.Shard+"."+e.Trail))
	}
	if e.Rule != "" {
		attrs = append(attrs, slog.String("rule", e.Rule))
	}
	attrs = append(attrs, slog.Int("status", c.status), slog.String("outcome", e.Outcome))
	if e.Warning != "" {
		attrs = append(attrs, slog.String("warning", e.Warning))
	}
	attrs = append(attrs, slog.Int("store", c.storeCalls), slog.Int("kv", c.answerCalls),
		slog.Int64("ms", c.now().Sub(c.began).Milliseconds()))
	l.LogAttrs(ctx, level, "singleshot", attrs...)
}

// failed is a call of a store that failed.
func (l logger) failed(what string, err error) {
	l.LogAttrs(context.Background(), slog.LevelWarn, "edge: "+what+" failed", slog.Any("error", err))
}
