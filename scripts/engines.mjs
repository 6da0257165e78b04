// engines.mjs VECTORS-TINYGO VECTORS-GO ENGINE-TINYGO ENGINE-GO holds what the two compilers make against each other:
// the shared vectors of the fingerprint through core as each builds it, and one exchange after another through both
// engines as they ship, with the same time and random bytes. Every effect has to be the same to the byte.
import { readFileSync } from "node:fs";
import { ConsoleStdout, WASI } from "@bjorn3/browser_wasi_shim";

const [vectorsTinyGo, vectorsGo, engineTinyGo, engineGo] = process.argv.slice(2);
let checked = 0;
let failed = 0;

function check(what, got, want) {
  checked++;
  if (got === want) return;
  failed++;
  if (failed <= 10) console.error(`${what}\n  got  ${got}\n  want ${want}`);
}

function load(file) {
  const module = new WebAssembly.Module(readFileSync(file));
  const said = [];
  const words = ConsoleStdout.lineBuffered((line) => said.push(line));
  const system = new WASI([], [], [words, words, words], { debug: false });
  const same = {
    clock_time_get: (id, precision, at) => (new DataView(wasm.memory.buffer).setBigUint64(at, 1n, true), 0),
    random_get: (at, n) => (new Uint8Array(wasm.memory.buffer, at, n).fill(7), 0),
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: { ...system.wasiImport, ...same } });
  const wasm = instance.exports;
  system.initialize(instance);
  const put = (bytes) => {
    const at = wasm.buffer(bytes.length); // memory may grow: a view is made after
    new Uint8Array(wasm.memory.buffer).set(bytes, at);
    return bytes.length;
  };
  const out = (at) => {
    if (!at) return null;
    const length = new DataView(wasm.memory.buffer).getUint32(at, true);
    return Buffer.from(wasm.memory.buffer.slice(at + 4, at + 4 + length));
  };
  return { wasm, put, out, said };
}

// --- the shared vectors -------------------------------------------------------------------------
const { vectors } = JSON.parse(readFileSync(new URL("../core/coretest/testdata/fingerprints.json", import.meta.url)));
for (const [compiler, file] of [["TinyGo", vectorsTinyGo], ["Go", vectorsGo]]) {
  const { wasm, put } = load(file);
  for (const v of vectors) {
    const head = Buffer.from([v.method, v.path, v.query ?? "", v.contentType, v.contentEncoding ?? "", v.keyField ?? "",
      v.jsonKey ?? "", v.htmx ? "htmx" : "", (v.ignore ?? []).join("\t")].join("\n"));
    const body = Buffer.concat([Buffer.from(v.body ?? ""), Buffer.from(v.base64 ?? "", "base64"),
      Buffer.from((v.repeat?.text ?? "").repeat(v.repeat?.times ?? 0)), Buffer.from(v.tail ?? "")]);
    const length = put(Buffer.concat([head, body]));
    const at = wasm.vector(head.length, length);
    const bytes = new Uint8Array(wasm.memory.buffer);
    const [fingerprint, key] = Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString().split(" ");
    check(`${compiler}: ${v.name}`, fingerprint, v.error ? "error" : v.fingerprint);
    if (!v.error) check(`${compiler}: key of ${v.name}`, key && Buffer.from(key, "hex").toString(), v.key || undefined);
  }
}

// --- exchanges ----------------------------------------------------------------------------------
// A script is a request and the events that follow; the results of both engines are compared, byte for byte.
class Engine {
  constructor(file) {
    Object.assign(this, load(file));
    this.configure({ SINGLESHOT_SECRET: "0123456789abcdef0123456789abcdef", SINGLESHOT_ADMIN: "admin" });
  }
  configure(variables) {
    return this.through("configure", 0, Object.entries(variables).flat().join("\0"));
  }
  begin(seed, method, url, headers) {
    const head = ["1800000000000", method, url, "EU", "8.5", ...Object.entries(headers), ""].flat().join("\n");
    return this.through("begin", 0, Buffer.concat([Buffer.from(head), Buffer.alloc(32, seed)]));
  }
  next(handle, { headers = "", payload = "", ...said }) {
    const event = ["1800000000500", ...Object.entries({ found: true, ...said }), "", headers].flat(2).join("\n");
    return this.through("next", handle, Buffer.concat([Buffer.from(event), Buffer.from(payload)]));
  }
  through(name, handle, bytes = "", last = 1) {
    return this.out(this.wasm[name](handle, this.put(Buffer.from(bytes)), last));
  }
}

const both = [new Engine(engineTinyGo), new Engine(engineGo)];
const same = (what, call) => {
  const [a, b] = both.map(call);
  check(what, a?.toString("latin1"), b?.toString("latin1"));
  return a;
};
const effect = (bytes) => JSON.parse(bytes.subarray(0, bytes.indexOf(10)));
const head = (bytes) => bytes.subarray(bytes.indexOf(10) + 1).subarray(0, effect(bytes).blobs[0][1]); // the first of the byte strings

function key(seed, path) {
  const answer = same("a key", (e) => e.begin(seed, "GET", `https://shop.example/_singleshot/key?action=${path}`, { "Sec-Fetch-Site": "same-origin" }));
  const text = answer.toString("latin1");
  for (const e of both) e.through("drop", effect(answer).handle);
  return /"key":"(ik_[^"]+)"/.exec(text.slice(text.indexOf('{"key":')))[1];
}

function submit(seed, body, headers, events) {
  let result = same("begin", (e) => e.begin(seed, "POST", "https://shop.example/orders?from=cart", { "Sec-Fetch-Site": "same-origin", ...headers }));
  const { handle } = effect(result);
  if (effect(result).do === "hash") {
    for (const e of both) e.through("feed", handle, body);
    result = same("hashed", (e) => e.next(handle, { whole: true }));
  }
  const results = [result];
  for (const event of events) {
    const { pour, seal, ...word } = event;
    if (pour) same("pour", (e) => e.through("pour", handle, pour));
    if (seal) results.sealed = same("seal", (e) => e.through("seal", handle, seal));
    if (!pour && !seal) results.push((result = same("next", (e) => e.next(handle, word))));
  }
  for (const e of both) e.through("drop", handle);
  return results;
}

const form = { "Content-Type": "application/x-www-form-urlencoded" };
const page = '<p class="hc-card">Order 1042</p><form method=post action=/orders><input name=amount></form>';
const DONE = { found: false };
const FAILED = { failed: true };
for (let seed = 1; seed <= 40; seed++) {
  const k = key(seed, "/orders");
  const body = (amount) => `amount=${amount}&item=%E3%82%B3%E3%83%BC%E3%83%92%E3%83%BC&idempotency_key=${k}`;
  const answered = [DONE, { status: 200, headers: [["Content-Type", "text/html"], ["HX-Trigger", "toast"], ["Set-Cookie", "a=1"], ["Set-Cookie", "b=2, 3"]] },
    { pour: page }, { length: page.length }, { seal: page }, DONE, DONE, DONE];
  const fresh = submit(seed, body(5), form, answered);
  const commit = fresh[3];
  const found = { version: effect(commit).version, payload: head(commit), body: true };
  for (const [amount, htmx] of [[5, false], [5, true], [6, false], [6, true]])
    submit(seed + 100, body(amount), htmx ? { ...form, "HX-Request": "true" } : { ...form, "Accept-Language": "ja" }, [found, DONE, DONE, DONE]);
  const claim = fresh[0];
  submit(seed + 200, body(5), form, [{ version: effect(claim).version, payload: head(claim), lease: 9000 }, DONE]);
  submit(seed + 300, body(5), form, [FAILED, FAILED, DONE]);
  submit(seed + 400, body(5), form, [DONE, { ...FAILED, sent: true }, DONE]);
  submit(seed + 500, body(5).replace(k, k.slice(0, -1) + "_"), form, []);
  submit(seed + 600, `--b\r\nContent-Disposition: form-data; name="idempotency_key"\r\n\r\n${k}\r\n--b`, { "Content-Type": "multipart/form-data; boundary=b" }, []);
}
same("faults", (e) => e.configure({ RULES: '[{"match":"nowhere","lease":"long","colour":1}]' }));
const faults = same("what is said of them", ({ said }) => said.join("\n"));
check("that it is said", /RULES.*colour/.test(faults), true);

console.log(`${checked - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
