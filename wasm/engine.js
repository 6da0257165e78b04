// engine.js speaks with the wasm: core's fingerprint and the decisions of page/, as main.go exports them.

const PIECE = 64 * 1024; // pieceSize of main.go
const encoder = new TextEncoder();
const decoder = new TextDecoder();

// What page.go and words.go number.
export const VERDICT = { NEW: 0, DUPLICATE: 1, CHANGED: 2, AGAIN: 3 };
export const STATE = ["live", "sent", "spent"];
export const WORD = { HINT: 0, SPENT: 1, SENT: 2, DUPLICATE: 3, CHANGED: 4, FRESH: 5, STARTED: 6, FAILED: 7, NONE: 8 };

const bits = (...flags) => flags.reduce((n, flag, i) => n | (flag ? 1 << i : 0), 0);

export async function boot(url, integrity) {
  // It asks its system for nothing that matters. Standard Go's wants a time that is not zero, and to be told by an 8
  // that there are no files.
  let wasm;
  const asked = {
    clock_time_get: (id, precision, at) => new DataView(wasm.memory.buffer).setBigUint64(at, BigInt(Date.now()) * 1000000n, true),
    fd_prestat_get: () => 8,
  };
  const system = new Proxy({}, { get: (_, name) => (...args) => asked[name]?.(...args) ?? 0 });
  wasm = (await WebAssembly.instantiateStreaming(fetch(url, { integrity }), { wasi_snapshot_preview1: system })).instance.exports;
  wasm._initialize();
  const input = wasm.buffer();

  // Memory may grow with any call, so no view on it is kept.
  const room = (from = 0) => new Uint8Array(wasm.memory.buffer, input + from, PIECE - from);
  function bytes(at) {
    const length = new DataView(wasm.memory.buffer).getUint32(at, true);
    return new Uint8Array(wasm.memory.buffer.slice(at + 4, at + 4 + length));
  }
  const text = (at) => decoder.decode(bytes(at));

  // put writes texts into the input, one after the other, and returns where each ends.
  function put(...texts) {
    let end = 0;
    return texts.map((part) => {
      const { read, written } = encoder.encodeInto(part, room(end));
      if (read < part.length) throw new RangeError("singleshot: a name is too long");
      return (end += written);
    });
  }
  const joined = (...parts) => parts.join("\n");
  const lines = (...parts) => put(joined(...parts))[0];

  // A place is where a submit goes: { key, method, override, path, repeat }, as Place in place.go.
  const place = ({ key, method, override, path, repeat }) => joined(method.toUpperCase(), override.toUpperCase(), path, repeat ? 1 : 0, key);

  // form gives the entries of a form: as what is sent (0), or as what it looks like (1). A file is { name, bytes }.
  function form(which, method, url, ignored, entries) {
    wasm.open(lines(method.toUpperCase(), url.pathname, url.search.slice(1), ...ignored));
    for (const [name, value] of entries) {
      if (typeof value === "string") {
        wasm.field(...put(name));
        for (let rest = value; rest; ) {
          const { read, written } = encoder.encodeInto(rest, room());
          wasm.piece(written);
          rest = rest.slice(read);
        }
      } else {
        wasm.file(...put(name, value.name));
        for (let i = 0; i < value.bytes.length; i += PIECE) {
          const piece = value.bytes.subarray(i, i + PIECE);
          room().set(piece);
          wasm.piece(piece.length);
        }
      }
      wasm.end();
    }
    wasm.close(which);
  }

  return {
    form,
    submit(to, { again, script, unsure, large }) {
      const result = wasm.submit(...put(place(to)), bits(again, script, unsure, large));
      return { verdict: result & 255, press: (result >> 8) & 255, word: (result >> 16) & 255, repeat: result >> 24 };
    },
    edit: (to) => wasm.edit(...put(place(to))),
    adopt: (key, to) => wasm.adopt(...put(key, place(to))),
    state: (to) => wasm.state(...put(place(to))),
    leave: (to, away) => wasm.leave(...put(place(to)), away ? 1 : 0),
    answer({ to, status, word, place: led, replayed, followed, appends, attachment }) {
      const result = wasm.answer(...put(joined(status, word, led, to.path), place(to)), bits(replayed, followed, appends, attachment));
      return { spent: result & 1, hint: result & 2, skip: result & 4 };
    },
    land: ({ status, place, path, followed, invalid, traversed }) => wasm.land(lines(status, place, path), bits(followed, invalid, traversed)),
    say: (word, language) => text(wasm.say(word, ...put(language))),
    client: (press, trigger) => text(wasm.client(press, ...put(trigger))),
    sum: () => [...bytes(wasm.sum())].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    save: () => btoa(String.fromCharCode(...bytes(wasm.save()))),
    load(stored) {
      const all = Uint8Array.from(atob(stored), (c) => c.charCodeAt(0));
      room().set(all);
      wasm.load(all.length);
    },
  };
}
