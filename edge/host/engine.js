import module from "../../build/guard.wasm";

// The engine is core, compiled to wasm: synchronous, without I/O, so one instance serves every request of the
// isolate. One that traps is left to the exchanges that it holds; the next request gets a new one. edge/guard says
// how messages are laid out.

export const PIECE = 64 * 1024; // bytes that cross at a time: core.FrameSize
const BLOBS = ["head", "inline", "before", "after", "note"];
const NOTHING = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let current;

export const engine = (env) => (current ??= new Engine(env));

class Engine {
  bytes = NOTHING;

  constructor(env) {
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module))
      (imports[from] ??= {})[name] = (...args) => system[name]?.(this.wasm.memory.buffer, ...args) ?? 0;
    this.wasm = new WebAssembly.Instance(module, imports).exports;
    this.wasm._initialize();
    // A binding has a class of its own; every other object is a variable, written as a table or a list.
    const plain = (value) => typeof value !== "object" || Array.isArray(value) || value?.constructor === Object;
    const text = (value) => (typeof value === "string" ? value : plain(value) ? JSON.stringify(value) : "");
    const variables = Object.entries(env).map(([name, value]) => `${name}\0${text(value)}`).join("\0");
    const faults = decoder.decode(this.out(this.call("configure", this.put(variables))));
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

  // memory is a view on the engine's memory, which a call may grow: then the old view is empty.
  memory() {
    return this.bytes.length ? this.bytes : (this.bytes = new Uint8Array(this.wasm.memory.buffer));
  }

  // put writes a text and bytes into the engine's input buffer, and returns how many bytes they are.
  put(text, bytes = NOTHING) {
    const most = text.length * 3; // in UTF-8
    const at = this.call("buffer", most + bytes.length);
    const { written } = text && encoder.encodeInto(text, this.memory().subarray(at, at + most));
    if (bytes.length) this.memory().set(bytes, at + (written ?? 0));
    return (written ?? 0) + bytes.length;
  }

  // number reads four bytes; out copies a result, which begins with its length.
  number(at) {
    const memory = this.memory();
    return memory[at] | (memory[at + 1] << 8) | (memory[at + 2] << 16) | (memory[at + 3] << 24);
  }

  out(at) {
    return at ? this.memory().slice(at + 4, at + 4 + this.number(at)) : null;
  }

  begin(request) {
    const { continent = "", longitude = "" } = request.cf ?? {};
    const head = `${Date.now()}\n${request.method}\n${request.url}\n${continent}\n${longitude}\n${lines(request.headers)}`;
    return new Exchange(this, this.call("begin", this.put(head, crypto.getRandomValues(new Uint8Array(32)))));
  }
}

// lines writes headers as name and value in turn; several Set-Cookie stay several.
export function lines(headers) {
  let text = "";
  headers.forEach((value, name) => (text += `${name}\n${value}\n`));
  return text;
}

// Exchange is one request on its way: `effect` is what to do next.
class Exchange {
  constructor(engine, first) {
    this.engine = engine;
    this.read(first);
    this.handle = this.effect.handle;
  }

  // read takes an effect apart: JSON, then the blobs that it gives the lengths of.
  read(at) {
    if (!at) throw new Error("engine: the exchange is gone");
    const memory = this.engine.memory();
    let end = at + 8 + this.engine.number(at + 4);
    this.effect = JSON.parse(decoder.decode(memory.subarray(at + 8, end)));
    for (const blob of BLOBS) if (this.effect[blob]) this.effect[blob] = memory.slice(end, (end += this.effect[blob]));
  }

  // next says what happened: numbers on a line, then a sealed head or the lines of an answer's headers.
  next(kind, { version = "", lease = 0, status = 0, length = 0, tally = 0, whole, hasBody, tooLarge, sent, head = NOTHING } = {}) {
    const flags = `${+!!whole}${+!!hasBody}${+!!tooLarge}${+!!sent}`;
    const line = `${kind} ${Date.now()} ${lease} ${status} ${length} ${tally} ${flags} ${version}\n`;
    const input = typeof head === "string" ? this.engine.put(line + head) : this.engine.put(line, new Uint8Array(head));
    this.read(this.engine.call("next", this.handle, input));
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
      const part = this.engine.put("", bytes.subarray(at, end));
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
