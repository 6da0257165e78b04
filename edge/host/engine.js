import module from "../../build/guard.wasm";

// The engine is core, compiled to wasm: synchronous, without I/O, so one instance serves every request of the
// isolate. An instance that traps is left to the exchanges that it holds; the next request gets a new one.

const PIECE = 64 * 1024; // bytes that cross into the engine at a time
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let current;

export function engine(env) {
  return (current ??= new Engine(env));
}

class Engine {
  constructor(env) {
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module))
      (imports[from] ??= {})[name] = (...a) => (wasi[name] ? wasi[name](this.memory.buffer, ...a) : 0);
    this.wasm = new WebAssembly.Instance(module, imports).exports;
    this.memory = this.wasm.memory;
    this.wasm._initialize();
    const lines = Object.entries(env).filter(([, value]) => typeof value === "string" || Array.isArray(value))
      .map(([name, value]) => `${name}\0${typeof value === "string" ? value : JSON.stringify(value)}`);
    const faults = this.out(this.call("configure", this.text(lines.join("\0"))));
    if (faults.length) console.error(decoder.decode(faults));
  }

  // call runs an export. A trap is final for this instance.
  call(name, ...args) {
    try {
      return this.wasm[name](...args);
    } catch (trap) {
      if (current === this) current = undefined;
      throw trap;
    }
  }

  // room is the engine's input buffer with space for n bytes. Views do not outlive a call: memory may grow.
  room(n) {
    const at = this.call("buffer", n);
    return new Uint8Array(this.memory.buffer, at, n);
  }

  put(bytes) {
    this.room(bytes.length).set(bytes);
    return bytes.length;
  }

  text(s, before = 0) {
    return before + encoder.encodeInto(s, this.room(before + s.length * 3).subarray(before)).written;
  }

  // out copies what an export left: four bytes of length, then the bytes.
  out(at) {
    if (at === 0) return null;
    const length = new DataView(this.memory.buffer).getUint32(at, true);
    return new Uint8Array(this.memory.buffer.slice(at + 4, at + 4 + length));
  }

  begin(request) {
    const { continent = "", longitude = "" } = request.cf ?? {};
    let head = `${Date.now()}\n${request.method}\n${request.url}\n${continent}\n${longitude}\n`;
    for (const [name, value] of request.headers) head += `${name}\n${value}\n`;
    const length = this.text(head, 32);
    crypto.getRandomValues(this.room(length).subarray(0, 32));
    return new Exchange(this, this.out(this.call("begin", length)));
  }
}

// Exchange is one request on its way: `effect` is what to do next.
export class Exchange {
  constructor(engine, first) {
    this.engine = engine;
    this.read(first);
    this.handle = this.effect.handle;
  }

  // read takes an effect apart: JSON, then the blobs that it gives the lengths of.
  read(bytes) {
    const start = 4 + new DataView(bytes.buffer).getUint32(0, true);
    this.effect = JSON.parse(decoder.decode(bytes.subarray(4, start)));
    let at = start;
    for (const blob of ["head", "inline", "before", "after"])
      if (this.effect[blob]) this.effect[blob] = bytes.subarray(at, (at += this.effect[blob]));
  }

  // next says what happened.
  next(kind, { version = "", lease = 0, status = 0, length = 0, head, headers, ...flags } = {}) {
    const payload = head ? new Uint8Array(head) : encoder.encode(headers ?? "");
    const size = 32 + version.length + payload.length;
    const room = this.engine.room(size);
    const view = new DataView(room.buffer, room.byteOffset, 32);
    view.setUint8(0, kind);
    view.setUint8(1, (flags.whole ? 1 : 0) | (flags.hasBody ? 2 : 0) | (flags.tooLarge ? 4 : 0) | (flags.sent ? 8 : 0));
    view.setUint16(2, status, true);
    view.setUint32(4, version.length, true);
    view.setFloat64(8, Date.now(), true);
    view.setFloat64(16, lease, true);
    view.setFloat64(24, length, true);
    encoder.encodeInto(version, room.subarray(32));
    room.set(payload, 32 + version.length);
    this.read(this.engine.out(this.engine.call("next", this.handle, size)));
  }

  feed(bytes) {
    for (let i = 0; i < bytes.length; i += PIECE)
      this.engine.call("feed", this.handle, this.engine.put(bytes.subarray(i, i + PIECE)));
  }

  // pour is what a piece of the origin's answer becomes on its way out.
  pour(bytes, last) {
    return this.through("pour", bytes, PIECE, last);
  }

  // seal and open turn an answer's body into the frames of a record, and back; open returns null for bytes
  // that cannot be trusted.
  seal(bytes) {
    return this.through("seal", bytes, PIECE, true);
  }

  open(bytes) {
    return this.through("open", bytes, PIECE + 16, true);
  }

  through(name, bytes, piece, last) {
    const parts = [];
    let i = 0;
    do {
      const part = bytes.subarray(i, (i += piece));
      const out = this.engine.out(
        this.engine.call(name, this.handle, this.engine.put(part), last && i >= bytes.length ? 1 : 0));
      if (!out) return null;
      parts.push(out);
    } while (i < bytes.length);
    return concat(parts);
  }

  get keyed() {
    return this.engine.call("keyed", this.handle) !== 0;
  }

  drop() {
    if (this.handle) this.engine.call("drop", this.handle);
    this.handle = 0;
  }
}

export function concat(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

// What the Go runtimes ask of a system: almost nothing, and time only for the runtime's own start.
const wasi = {
  fd_write(memory, fd, vectors, count, written) {
    const view = new DataView(memory);
    let text = "";
    let total = 0;
    for (let i = 0; i < count; i++) {
      const length = view.getUint32(vectors + 8 * i + 4, true);
      text += decoder.decode(new Uint8Array(memory, view.getUint32(vectors + 8 * i, true), length));
      total += length;
    }
    view.setUint32(written, total, true);
    console.error("engine:", text);
    return 0;
  },
  random_get: (memory, at, n) => (crypto.getRandomValues(new Uint8Array(memory, at, n)), 0),
  clock_time_get: (memory, id, precision, at) => (new DataView(memory).setBigUint64(at, BigInt(Date.now()) * 1000000n, true), 0),
  environ_sizes_get: (memory, count, size) => zeros(memory, count, size),
  args_sizes_get: (memory, count, size) => zeros(memory, count, size),
  fd_prestat_get: () => 8, // EBADF: there are no files
  proc_exit(memory, code) {
    throw new Error(`engine: exit ${code}`);
  },
};

function zeros(memory, ...at) {
  for (const address of at) new DataView(memory).setUint32(address, 0, true);
  return 0;
}
