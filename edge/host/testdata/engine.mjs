// engine.mjs WASM checks what engine.js promises of an instance, with the engine as it ships. It ends with status 1
// and one line for each promise that was broken.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

globalThis.compiled = new WebAssembly.Module(readFileSync(process.argv[2]));
registerHooks({
  load: (url, context, next) => url.endsWith(".wasm")
    ? { format: "module", source: "export default globalThis.compiled", shortCircuit: true } : next(url, context),
});
const { Exchange } = await import("../engine.js");

const env = { SINGLESHOT_SECRET: "a-secret-of-32-bytes-for-this-test" };
const text = new TextEncoder();
const form = '<form method="post" action="/orders"><button>Order</button></form>';
let now = 1_800_000_000_000;
Date.now = () => now;

const request = (method, path, headers) => ({ method, url: `https://shop.example${path}`, headers: new Map(headers), cf: {} });

const begin = (...of) => new Exchange(request(...of), env);

// instance is the one that a request gets.
function instance() {
  const x = begin("GET", "/", []);
  x.drop();
  return x.wasm;
}

function keys(n) {
  const x = begin("GET", "/shop", [["accept", "text/html"]]);
  x.next({ status: 200, headers: [["content-type", "text/html"]] });
  const page = new TextDecoder().decode(x.pour(text.encode(form.repeat(n)), true));
  x.drop();
  return page.match(/ik_[\w-]{64}/g);
}

// claimed is a submit whose origin is at work.
function claimed(key) {
  const x = begin("POST", "/orders", [["content-type", "application/x-www-form-urlencoded"], ["sec-fetch-mode", "navigate"]]);
  assert.equal(x.effect.do, "hash");
  x.feed(text.encode(`idempotency_key=${key}&amount=1`));
  x.next({ whole: true });
  assert.equal(x.effect.call, "swap");
  x.next();
  assert.equal(x.effect.do, "forward");
  return x;
}

// commits brings a claimed submit to its end.
function commits(x) {
  x.next({ status: 200, headers: [["content-type", "text/plain"]] });
  assert.equal(x.effect.do, "collect");
  x.next({ length: 2, whole: true });
  assert.equal(x.effect.call, "swap");
  assert.ok(x.seal(text.encode("ok")).length > 2);
  x.next();
  assert.equal(x.effect.do, "respond");
  assert.equal(x.effect.log.outcome, "created");
  x.drop();
}

const promises = {
  "an instance that traps is replaced, and loses no other exchange"() {
    const [one, two, three, four] = keys(4);
    const first = instance();
    const held = [claimed(one), claimed(two)];
    assert.throws(() => claimed(three).call("begin", "", new Uint8Array(5)), WebAssembly.RuntimeError); // shorter than its random bytes
    const second = instance();
    assert.notEqual(second, first, "the next request gets another instance");
    assert.equal(instance(), second, "and so does the one after it");
    commits(claimed(four));
    held.forEach(commits);
    assert.equal(instance(), second, "what ends in the old instance brings it not back");
  },

  "exchanges that nobody carries on are dropped, and no others"() {
    const all = keys(401);
    const abandoned = Array.from({ length: 200 }, (_, i) => claimed(all[i]));
    now += 10 * 60_000;
    const slow = claimed(all[400]);
    now += 6 * 60_000; // the abandoned ones have not moved for 16 minutes, the slow one for 6
    claimed(all[200]).drop();
    const { memory } = instance();
    const size = memory.buffer.byteLength;
    const place = (x) => x.handle % 2 ** 16;
    const places = new Set(abandoned.map(place));
    const later = Array.from({ length: 200 }, (_, i) => claimed(all[200 + i]));
    assert.ok(later.every((x) => places.has(place(x))), "their places are given out again");
    assert.equal(memory.buffer.byteLength, size, "and their memory");
    for (const x of abandoned) {
      assert.throws(() => x.next({ status: 200, headers: [] }), /next is refused/, "who comes back all the same is told");
      x.drop();
    }
    later.forEach(commits);
    commits(slow);
  },

  "large JSON bodies, one after the other, do not take all the memory of a Worker"() {
    for (const key of keys(100)) {
      const x = begin("POST", "/orders", [["content-type", "application/json"], ["hx-request", "true"]]);
      x.feed(text.encode(JSON.stringify({ idempotency_key: key, scan: "x".repeat(1_000_000) })));
      x.next({ whole: true });
      assert.equal(x.effect.call, "swap");
      x.drop();
    }
    const size = instance().memory.buffer.byteLength / 2 ** 20;
    assert.ok(size <= 32, `${size} MiB after a hundred of one megabyte; want at most 32, of 128`);
  },
};

let broken = 0;
for (const [promise, check] of Object.entries(promises)) {
  try {
    check();
  } catch (error) {
    broken++;
    console.log(`${promise}: ${error.stack}`);
  }
}
process.exit(broken ? 1 : 0);
