import module from "../../build/guard.wasm";

// The engine is core, compiled to wasm: synchronous, without I/O, so one instance serves every request of the
// isolate. One that traps is left to the exchanges that it holds; the next request gets a new one. edge/guard says
// how messages are laid out.

export const PIECE = 64 * 1024; // bytes that cross at a time: core.FrameSize
export const NOTHING = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let current;

export const engine = (env) => (current ??= new Engine(env));

class Engine {
  constructor(env) {
    const asked = { get: (known, name) => (...args) => known[name]?.(this.wasm.memory.buffer, ...args) ?? 0 };
    this.wasm = new WebAssembly.Instance(module, { wasi_snapshot_preview1: new Proxy(system, asked) }).exports;
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
  get memory() {
    return this.view?.length ? this.view : (this.view = new Uint8Array(this.wasm.memory.buffer));
  }

  // put writes a text and bytes into the engine's input buffer, and returns how many bytes they are.
  put(text, bytes = NOTHING) {
    const most = text.length * 3; // in UTF-8
    const at = this.call("buffer", most + bytes.length);
    const { written } = encoder.encodeInto(text, this.memory.subarray(at, at + most));
    this.memory.set(bytes, at + written);
    return written + bytes.length;
  }

  // out copies a result, which begins with its length.
  out(at) {
    return at ? this.memory.slice(at + 4, at + 4 + new DataView(this.memory.buffer).getUint32(at, true)) : null;
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
    this.handle = this.read(first).handle;
  }

  // read takes an effect apart: a line of JSON, then the byte strings that it gives the lengths of.
  read(at) {
    if (!at) throw new Error("engine: the exchange is gone");
    const { memory } = this.engine;
    let end = memory.indexOf(10, at + 4) + 1;
    this.effect = JSON.parse(decoder.decode(memory.subarray(at + 4, end)));
    for (const [name, length] of this.effect.blobs ?? []) this.effect[name] = memory.slice(end, (end += length));
    return this.effect;
  }

  // next says what was found, nothing where the effect is done, and returns the next effect.
  next(found) {
    const { failed, version, lease, tally, status, length, whole, body, tooLarge, sent, head = NOTHING } = found ?? {};
    if (body) this.body = new Uint8Array(body);
    const line = [Date.now(), !!found, failed, version, lease, tally, status, length, whole, body?.byteLength > 0, tooLarge, sent];
    const text = line.join(" ") + "\n";
    const input = typeof head === "string" ? this.engine.put(text + head) : this.engine.put(text, new Uint8Array(head));
    return this.read(this.engine.call("next", this.handle, input));
  }

  feed = (bytes) => this.through("feed", bytes);
  strip = (bytes) => this.through("strip", bytes, bytes.length); // a body without its key
  pour = (bytes, last) => this.through("pour", bytes, PIECE, last); // the origin's answer on its way out
  seal = (bytes) => this.through("seal", bytes, PIECE, true); // an answer's body becomes the frames of a record
  open = () => this.through("open", this.body, PIECE + 16, true); // and back: null if they cannot be trusted
  keyed = () => this.engine.call("keyed", this.handle); // whether a key is in the answer

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

// What the two Go runtimes need of a system; everything else is done by doing nothing.
const system = {
  random_get: (memory, at, n) => void crypto.getRandomValues(new Uint8Array(memory, at, n)),
  clock_time_get: (memory, id, precision, at) => new DataView(memory).setBigUint64(at, BigInt(Date.now()) * 1000000n, true),
  environ_sizes_get: (memory, count, size) => (new Uint32Array(memory)[count / 4] = new Uint32Array(memory)[size / 4] = 0),
  args_sizes_get: (...args) => system.environ_sizes_get(...args),
  fd_prestat_get: () => 8, // EBADF: there are no files
  fd_write: (memory, fd, vectors) => {
    const [at, n] = new Uint32Array(memory, vectors, 2); // of the runtime's last words
    console.error("engine:", decoder.decode(new Uint8Array(memory, at, n)));
  },
  proc_exit(memory, code) {
    throw new WebAssembly.RuntimeError(`exit ${code}`);
  },
};
