import { ConsoleStdout, WASI, WASIProcExit } from "@bjorn3/browser_wasi_shim";
import module from "../../build/guard.wasm";

// The engine is core, compiled to wasm: synchronous, without I/O, so one instance serves every request of the
// isolate. One that traps is left to the exchanges that it holds; the next request gets a new one. edge/guard says
// how messages are laid out.

export const PIECE = 64 * 1024; // bytes that cross at a time: core.FrameSize
export const NOTHING = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let current;

// lines writes values, and what lists hold, each on a line. Of headers, several Set-Cookie stay several.
const lines = (...values) => values.flat(2).join("\n");

// Exchange is one request on its way: `effect` is what to do next.
export class Exchange {
  handle = 0;

  constructor({ method, url, headers, cf }, env) {
    this.wasm = current ?? this.start(env);
    const head = lines(Date.now(), method, url, cf?.continent, cf?.longitude, [...headers], "");
    this.handle = this.step("begin", head, crypto.getRandomValues(new Uint8Array(32))).handle;
  }

  start(env) {
    const words = ConsoleStdout.lineBuffered((line) => console.error("engine:", line)); // faults in the variables, a panic
    const system = new WASI([], [], [words, words, words], { debug: false });
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system.wasiImport });
    system.initialize(instance);
    this.wasm = instance.exports;
    // A binding has a class of its own; every other object is a variable, written as a table or a list.
    const plain = (value) => typeof value !== "object" || [Object, Array].includes(value?.constructor);
    const text = (value) => (typeof value === "string" ? value : plain(value) ? JSON.stringify(value) : "");
    const variables = Object.entries(env).flatMap(([name, value]) => [name, text(value)]);
    this.call("configure", variables.join("\0"));
    return (current = this.wasm);
  }

  // call lets the engine take a text and bytes, the last ones of a body or not. The result is a view on its memory,
  // there until the next call.
  call(name, text, bytes = NOTHING, last = false) {
    let result;
    try {
      const at = this.wasm.buffer(3 * text.length + bytes.length); // the most that it can be in UTF-8
      const input = new Uint8Array(this.wasm.memory.buffer, at);
      const { written } = encoder.encodeInto(text, input);
      input.set(bytes, written);
      result = this.wasm[name](this.handle, written + bytes.length, last);
    } catch (trap) {
      if (current === this.wasm) current = undefined;
      throw trap instanceof WASIProcExit ? new WebAssembly.RuntimeError(trap.message) : trap;
    }
    if (!result) throw new Error(`engine: ${name} is refused`);
    const { buffer } = this.wasm.memory; // another one, where the call made it grow
    return new Uint8Array(buffer, result + 4, new DataView(buffer).getUint32(result, true));
  }

  // step returns the next effect: a line of JSON, and the byte strings that it gives the lengths of.
  step(name, text, bytes) {
    const told = this.call(name, text, bytes);
    let end = told.indexOf(10) + 1;
    this.effect = JSON.parse(decoder.decode(told.subarray(0, end)));
    for (const [name, length] of this.effect.blobs ?? []) this.effect[name] = told.slice(end, (end += length));
    return this.effect;
  }

  // next says what was found, nothing where the effect is done.
  next(found) {
    const { head, body, headers = "", ...said } = found ?? {};
    if (body) this.body = new Uint8Array(body);
    const event = { ...said, found: !!found, body: body?.byteLength > 0 };
    return this.step("next", lines(Date.now(), Object.entries(event), "", headers), new Uint8Array(head));
  }

  feed = (bytes) => this.through("feed", bytes);
  strip = (bytes) => this.through("strip", bytes, bytes.length); // a body without its key
  pour = (bytes, last) => this.through("pour", bytes, PIECE, last); // the origin's answer on its way out
  seal = (bytes) => this.through("seal", bytes, PIECE, true); // an answer's body becomes the frames of a record
  open = () => this.through("open", this.body, PIECE + 16, true); // and back, if they can be trusted
  keyed = () => this.call("keyed", "")[0]; // whether a key is in the answer
  drop = () => this.call("drop", "");

  through(name, bytes, piece = PIECE, last = false) {
    const parts = [];
    for (let at = 0; at < bytes.length || at === 0; at += piece)
      parts.push(this.call(name, "", bytes.subarray(at, at + piece), last && at + piece >= bytes.length).slice());
    return concat(parts);
  }
}

export function concat(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}
