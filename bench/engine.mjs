// engine.mjs [quick] measures the engine by itself: both wasm files, in node, through the host's own engine.js,
// over a claim store and an origin that are plain values. It prints Markdown.
//
// Memory does not depend on the machine. Times do, so compare the columns of one run: they are processor time,
// but for the start, which is as long as a visitor waits for it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const quick = process.argv.includes("quick");
const [, , first, which] = process.argv;
const SECRET = "bench-secret-of-32-bytes-or-more";
const FRAGMENT = '<div class="receipt" role="status"><h2>Order 1042</h2><p>Ada Lovelace, 120.00, next day.</p></div>';
const FIELDS = "&name=Ada+Lovelace&email=ada%40example.com&phone=%2B44+20+7946+0000&street=12+St+James%27s+Square" +
  "&city=London&postcode=SW1Y+4LB&country=GB&amount=120.00&delivery=next-day&note=please+ring+twice";

// table runs each engine in processes of its own, so that neither has the other's garbage, and prints both.
function table() {
  const engines = [["TinyGo", "guard.wasm"], ["standard Go", "guard-go.wasm"]].map(([name, file]) => {
    const starts = Array.from({ length: quick ? 3 : 9 }, () => child("--start", file));
    const [compile, start] = [0, 1].map((i) => starts.map((pair) => pair[i]).toSorted((a, b) => a - b)[starts.length >> 1]);
    return [name, { "compile, ms": compile.toFixed(1), "instantiate and configure, ms": start.toFixed(1), ...child("--measure", file) }];
  });
  console.log(`| engine in node ${process.versions.node} | ${engines.map(([name]) => name).join(" | ")} |`);
  console.log(`|---|${engines.map(() => "---:|").join("")}`);
  for (const row of Object.keys(engines[0][1]))
    console.log(`| ${row} | ${engines.map(([, rows]) => rows[row]).join(" | ")} |`);
}

function child(what, file) {
  const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), what, file, ...(quick ? ["quick"] : [])],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], timeout: 400_000 });
  if (run.status !== 0) throw new Error(`${what} ${file}: exit ${run.status} ${run.signal ?? ""}`);
  return JSON.parse(run.stdout);
}

// load compiles an engine and starts it through engine.js, which imports a compiled module as Workers do.
async function load(file) {
  const bytes = readFileSync(new URL(`build/${file}`, root));
  registerHooks({
    load: (url, context, next) => url.endsWith(".wasm")
      ? { format: "module", source: "export default globalThis.compiled", shortCircuit: true } : next(url, context),
  });
  const began = performance.now();
  globalThis.compiled = new WebAssembly.Module(bytes);
  const compile = performance.now() - began;
  const { Exchange } = await import(new URL("edge/host/engine.js", root));
  const env = { SINGLESHOT_SECRET: SECRET };
  const before = performance.now();
  const { memory } = Object.create(Exchange.prototype).start(env); // which the first exchange does
  const start = performance.now() - before;
  const begin = (method, url, headers) =>
    new Exchange({ method, url, headers: new Map(headers), cf: { continent: "EU", longitude: "13.4" } }, env);
  return { begin, memory, size: bytes.length, times: [compile, start] };
}

async function measure(file) {
  const { begin, memory, size } = await load(file);
  const rows = { "size, bytes": size.toLocaleString("en") };
  const KiB = () => (memory.buffer.byteLength / 1024).toLocaleString("en");
  rows["memory at the start, KiB"] = KiB();

  const host = new Host(begin);
  time(() => host.fresh()); // let the compiler get warm
  rows["fresh exchange, µs"] = time(() => host.fresh()).toFixed(1);
  const key = host.keys.next();
  host.submit(key, "created");
  rows["replay, recalled, µs"] = time(() => host.submit(key, "replayed")).toFixed(1);
  rows["replay, µs"] = time(() => (pass(RECALL), host.submit(key, "replayed"))).toFixed(1);
  rows["mismatch, µs"] = time(() => host.submit(key, "mismatch", "&more=1")).toFixed(1);

  const mix = (until) => {
    while (host.count < until) host.count % 2 ? host.fresh() : host.submit(key, "replayed");
    return KiB();
  };
  if (quick) rows["memory after 10,000 exchanges, KiB"] = mix(10_000);
  else rows["memory after 100,000 exchanges, KiB"] = mix(100_000);
  const million = "memory after 1,000,000 exchanges, KiB";
  if (!quick) rows[million] = file === "guard.wasm" ? mix(1_000_000) : "not run";
  const wave = (n) => {
    const flights = Array.from({ length: n }, () => host.until(host.begin(host.keys.next()), "forward"));
    const most = KiB();
    for (const flight of flights) host.until(flight, "respond");
    return most;
  };
  rows["memory with 100 in flight, KiB"] = wave(100);
  rows["memory with 1,000 in flight, KiB"] = wave(1000);
  for (let i = 0; i < 3; i++) wave(1000);
  rows["memory after three more such waves, KiB"] = KiB();

  const page = shop();
  rows["injection, page of 100 KB, 3 forms, MB/s"] = rate(page.length, time(() => host.page(page)));
  for (const [label, size] of [["200 B", 200], ["4 KB", 4096], ["64 KB", 65536]]) {
    const [seal, open] = host.sealing(size);
    rows[`seal, open ${label}, MB/s`] = `${rate(size, seal)}, ${rate(size, open)}`;
  }
  const upload = new Uint8Array(65536).fill(97);
  rows["file hashed (K12), MB/s"] = rate(1 << 20, time(() => host.upload(upload)));
  rows["memory at the end, KiB"] = KiB();
  console.log(JSON.stringify(rows));
}

// Host carries out effects as edge/host/entry.js does, one exchange at a time and without a promise.
class Host {
  records = new Map(); // the claim store
  gatherers = []; // answered exchanges that gather notes of all for a second
  count = 0;
  text = new TextEncoder();
  fragment = this.text.encode(FRAGMENT);

  constructor(begin) {
    this.open = begin;
    const keys = this.minted();
    this.keys = { next: () => keys.next().value };
  }

  // minted are keys out of pages that the engine has put them into.
  *minted() {
    const form = '<form method="post" action="/orders"><button>Order</button></form>';
    for (;;) yield* this.page(this.text.encode(form.repeat(200))).match(/ik_[\w-]{64}/g);
  }

  // page streams an html answer through an exchange, and returns what the visitor gets.
  page(bytes) {
    const x = this.open("GET", "https://shop.example/shop", BROWSER);
    if (x.effect.do !== "forward") throw new Error(`page: effect ${x.effect.do}; want forward`);
    x.next({ status: 200, headers: [["content-type", "text/html; charset=utf-8"]] });
    if (!x.effect.inject) throw new Error("page: nothing is put in");
    let out = "";
    for (let i = 0; i < bytes.length; i += 16384)
      out = this.keep(out, x.pour(bytes.subarray(i, i + 16384), i + 16384 >= bytes.length), bytes.length);
    x.drop();
    return out;
  }

  // keep decodes small pages only: the time of a large one is the engine's.
  keep(out, piece, size) {
    return size < 50_000 ? out + new TextDecoder().decode(piece) : out;
  }

  begin(key, more = "") {
    this.count++;
    while (this.gatherers[0]?.due <= Date.now()) {
      const { flight } = this.gatherers.shift();
      flight.x.next();
      this.until(flight, "respond");
    }
    const body = this.text.encode(`idempotency_key=${key}${FIELDS}${more}`);
    const x = this.open("POST", "https://shop.example/orders", [...SUBMIT, ["content-length", String(body.length)]]);
    return { x, body };
  }

  submit(key, outcome, more) {
    const flight = this.until(this.begin(key, more), "respond");
    if (outcome && flight.outcome !== outcome) throw new Error(`outcome ${flight.outcome}; want ${outcome}`);
  }

  // fresh is a submit of a new key, whose record is then forgotten: the claim store is no part of the engine.
  fresh() {
    this.submit(this.keys.next(), "created");
    this.records.delete(this.newest);
  }

  // until carries out effects up to that one; a response is carried out, and ends the exchange.
  until(flight, last) {
    const { x, body } = flight;
    for (;;) {
      const e = x.effect;
      if (e.do === last && last !== "respond") return flight;
      switch (e.do === "claims" ? e.call : e.do) {
        case "hash":
          x.feed(body);
          x.next({ whole: true });
          break;
        case "swap": {
          const found = this.records.get(e.name);
          if (e.sealed) flight.sealed ??= x.seal(flight.out);
          if ((found?.version ?? "") !== e.old) {
            x.next(found);
            break;
          }
          this.newest = e.name;
          this.records.set(e.name, { version: e.version, head: e.head.slice(), body: e.sealed ? flight.sealed : null });
          x.next();
          break;
        }
        case "forward":
          x.next({ status: 200, headers: ORDERED });
          break;
        case "collect":
          flight.out = e.inject ? x.pour(this.fragment, true) : this.fragment;
          x.next({ length: flight.out.length, whole: true });
          break;
        case "respond":
          if (e.status && e.sealed && x.open().length !== this.fragment.length) throw new Error("replay: not the first answer");
          flight.outcome = e.log.outcome;
          if (!e.last) {
            x.next();
            break;
          }
          x.drop();
          return flight;
        case "pause":
          this.gatherers.push({ flight, due: Date.now() + e.delay });
          return flight;
        case "note":
        case "answers":
          x.next();
          break;
        case undefined:
          x.drop();
          return flight;
        default:
          throw new Error(`effect ${e.do}`);
      }
    }
  }

  // sealing is the time to seal, and to open, an answer of that size. Each frame has a nonce of its own, so a
  // record is opened once in an exchange: there are as many replays.
  sealing(size) {
    const bytes = new Uint8Array(size).fill(97);
    const sealed = this.until(this.begin(this.keys.next()), "collect").x;
    sealed.next({ length: size, whole: true });
    const seal = time(() => sealed.seal(bytes));
    sealed.drop();
    const key = this.keys.next();
    const kept = this.fragment;
    this.fragment = bytes;
    this.submit(key, "created");
    this.fragment = kept;
    let open = Infinity;
    for (let part = 0; part < PARTS; part++) {
      pass(RECALL);
      const replays = Array.from({ length: Math.min(400, 4e6 / size) }, () => this.untilReplay(this.begin(key)));
      open = Math.min(open, once(replays.length, (i) => {
        if (replays[i].open()?.length !== size) throw new Error("open: another length");
      }));
      for (const x of replays) x.drop();
    }
    return [seal, open];
  }

  untilReplay(flight) {
    const { x, body } = flight;
    x.feed(body);
    x.next({ whole: true });
    const found = this.records.get(x.effect.name);
    x.next(found);
    if (!x.effect.sealed) throw new Error("replay: no body");
    return x;
  }

  // upload feeds a file of 1 MiB in pieces, and drops the exchange.
  upload(piece) {
    const x = this.open("POST", "https://shop.example/orders", [...BROWSER, ["content-type", "multipart/form-data; boundary=B"]]);
    x.feed(this.text.encode('--B\r\nContent-Disposition: form-data; name="up"; filename="a.bin"\r\n\r\n'));
    for (let i = 0; i < 16; i++) x.feed(piece);
    x.drop();
  }
}

// pass lets time go by: for RECALL milliseconds the engine needs no claim store for what it has just given.
const RECALL = 2000;
let passed = 0;
const { now } = Date;
Date.now = () => now() + passed;
const pass = (ms) => void (passed += ms);

const BROWSER = [
  ["accept", "text/html,application/xhtml+xml,*/*;q=0.8"], ["accept-encoding", "gzip, br"], ["accept-language", "en-GB,en;q=0.9"],
  ["sec-fetch-dest", "document"], ["sec-fetch-mode", "navigate"], ["sec-fetch-site", "same-origin"],
  ["user-agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36"],
];
const SUBMIT = [
  ...BROWSER, ["content-type", "application/x-www-form-urlencoded"], ["origin", "https://shop.example"],
  ["referer", "https://shop.example/shop"], ["hx-request", "true"], ["hx-target", "result"], ["hx-current-url", "https://shop.example/shop"],
];
const ORDERED = [
  ["content-type", "text/html; charset=utf-8"], ["hx-trigger", '{"toast":"Order 1042"}'], ["date", "Mon, 30 Nov 2026 12:00:00 GMT"],
];

// shop is a page of about 100 KB with three forms.
function shop() {
  let html = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body>';
  for (let i = 0; i < 3; i++) html += `<form method="post" action="/orders/${i}"><input name="amount"><button>Place order</button></form>`;
  for (let i = 0; html.length < 100 << 10; i++)
    html += `<article class="card" data-id="${i}"><h2><a href="/products/${i}">Product ${i}</a></h2><p>A good product, which does what ` +
      `it says &amp; a bit more. It comes in three sizes and is sent on the same day.</p><img src="/img/${i}.webp" alt="Product ${i}" loading="lazy"></article>\n`;
  return new TextEncoder().encode(html + "</body></html>");
}

const PARTS = quick ? 3 : 8;

// time is the processor time of one call in microseconds, the least of several parts: other work on the machine
// only adds.
function time(call) {
  let n = 1;
  for (; once(n, call) * n < (quick ? 10_000 : 40_000); ) n *= 2;
  return Math.min(...Array.from({ length: PARTS }, () => once(n, call)));
}

function once(n, call) {
  const began = process.cpuUsage();
  for (let i = 0; i < n; i++) call(i);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / n;
}

// rate is megabytes a second, for so many bytes in so many microseconds.
const rate = (bytes, micros) => (bytes / micros).toFixed(0);

if (first === "--start") console.log(JSON.stringify((await load(which)).times));
else if (first === "--measure") await measure(which);
else table();
