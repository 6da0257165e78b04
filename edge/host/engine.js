import module from "../../build/guard.wasm";

// The engine is core, compiled to wasm: synchronous, without I/O, so one instance serves every request of the
// isolate. One that traps is left to the exchanges that it holds; the next request gets a new one. Views on its
// memory never outlive a call, because memory may grow. edge/guard says how messages are laid out.

export const PIECE = 64 * 1024; // bytes that cross at a time: core.FrameSize
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let current;

export const engine = (env) => (current ??= new Engine(env));

class Engine {
  constructor(env) {
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module))
      (imports[from] ??= {})[name] = (...args) => system[name]?.(this.memory.buffer, ...args) ?? 0;
    this.wasm = new WebAssembly.Instance(module, imports).exports;
    this.memory = this.wasm.memory;
    this.wasm._initialize();
    const variables = Object.entries(env).filter(([, value]) => typeof value === "string" || Array.isArray(value))
      .flatMap(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
    const faults = decoder.decode(this.out(this.call("configure", this.put(encoder.encode(variables.join("\0"))))));
    if (faults) console.error(faults);
  }

  call(name, ...args) {
    try {
      return this.wasm[name](...args);
    } catch (trap) {
      if (current === this) current = undefined;
      throw trap;
    }
  }

  // put copies bytes into the engine's input buffer and returns how many.
  put(...parts) {
    const length = parts.reduce((n, part) => n + part.length, 0);
    let at = this.call("buffer", length);
    for (const part of parts) new Uint8Array(this.memory.buffer).set(part, (at += part.length) - part.length);
    return length;
  }

  // out copies a result: four bytes of length, then the bytes.
  out(at) {
    const length = at && new DataView(this.memory.buffer).getUint32(at, true);
    return at ? new Uint8Array(this.memory.buffer.slice(at + 4, at + 4 + length)) : null;
  }

  begin(request) {
    const { continent = "", longitude = "" } = request.cf ?? {};
    const head = [Date.now(), request.method, request.url, continent, longitude, lines(request.headers)].join("\n");
    const random = crypto.getRandomValues(new Uint8Array(32));
    return new Exchange(this, this.call("begin", this.put(random, encoder.encode(head))));
  }
}

// lines writes headers as name and value in turn; several Set-Cookie stay several.
export const lines = (headers) => [...headers].map(([name, value]) => `${name}\n${value}\n`).join("");

// Exchange is one request on its way: `effect` is what to do next.
class Exchange {
  constructor(engine, first) {
    this.engine = engine;
    this.read(first);
    this.handle = this.effect.handle;
  }

  // read takes an effect apart: JSON, then the blobs that it gives the lengths of.
  read(result) {
    const bytes = this.engine.out(result);
    let at = 4 + new DataView(bytes.buffer).getUint32(0, true);
    this.effect = JSON.parse(decoder.decode(bytes.subarray(4, at)));
    for (const blob of ["head", "inline", "before", "after", "note"])
      if (this.effect[blob]) this.effect[blob] = bytes.slice(at, (at += this.effect[blob]));
  }

  // next says what happened: numbers on a line, then a sealed head or the lines of an answer's headers.
  next(kind, { version = "", lease = 0, status = 0, length = 0, tally = 0, head = "", ...flags } = {}) {
    const flag = ["whole", "hasBody", "tooLarge", "sent"].map((name) => (flags[name] ? 1 : 0)).join("");
    const line = `${kind} ${Date.now()} ${lease} ${status} ${length} ${tally} ${flag} ${version}\n`;
    const payload = typeof head === "string" ? encoder.encode(head) : new Uint8Array(head);
    this.read(this.engine.call("next", this.handle, this.engine.put(encoder.encode(line), payload)));
  }

  feed = (bytes) => this.through("feed", bytes);
  strip = (bytes) => this.through("strip", bytes, bytes.length); // a body without its key
  pour = (bytes, last) => this.through("pour", bytes, PIECE, last); // the origin's answer on its way out
  seal = (bytes) => this.through("seal", bytes, PIECE, true); // an answer's body becomes the frames of a record
  open = (bytes) => this.through("open", bytes, PIECE + 16, true); // and back: null if they cannot be trusted

  through(name, bytes, piece = PIECE, last = false) {
    const parts = [];
    for (let end = 0, at = 0; end < bytes.length || at === 0; at = end || 1) {
      end = Math.min(at + piece, bytes.length);
      const part = this.engine.put(bytes.subarray(at, end));
      const result = this.engine.call(name, this.handle, part, last && end === bytes.length ? 1 : 0);
      if (name === "feed") continue;
      if (!result) return null;
      parts.push(this.engine.out(result));
    }
    return concat(parts);
  }

  get keyed() {
    return this.engine.call("keyed", this.handle); // 2: a key is in the answer; 1: other bytes than the origin's
  }

  drop() {
    this.engine.call("drop", this.handle);
    this.handle = 0;
  }
}

export function concat(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

// What the two Go runtimes ask of a system while they start: almost nothing.
const system = {
  random_get: (memory, at, n) => void crypto.getRandomValues(new Uint8Array(memory, at, n)),
  clock_time_get: (memory, id, precision, at) => new DataView(memory).setBigUint64(at, BigInt(Date.now()) * 1000000n, true),
  environ_sizes_get: (memory, count, size) => (new Uint32Array(memory)[count / 4] = new Uint32Array(memory)[size / 4] = 0),
  args_sizes_get: (...args) => system.environ_sizes_get(...args),
  fd_prestat_get: () => 8, // EBADF: there are no files
  fd_write(memory, fd, vectors, count, written) {
    const view = new DataView(memory);
    const texts = Array.from({ length: count }, (_, i) => vectors + 8 * i)
      .map((at) => new Uint8Array(memory, view.getUint32(at, true), view.getUint32(at + 4, true)));
    view.setUint32(written, texts.reduce((n, text) => n + text.length, 0), true);
    console.error("engine:", texts.map((text) => decoder.decode(text)).join(""));
  },
  proc_exit(memory, code) {
    throw new Error(`engine: exit ${code}`);
  },
};
