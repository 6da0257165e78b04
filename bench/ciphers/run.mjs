// run.mjs measures the ciphers that run.sh has compiled, in node, and WebCrypto's AES-GCM beside them. Times are
// processor time, the least of several parts, so other work on the machine matters less.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const sizes = [200, 4096, 65536];
const folder = new URL("../../build/bench/", import.meta.url);
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);
row("", ...sizes.map((n) => `seal ${n} B`), ...sizes.map((n) => `open ${n} B`), "adds, bytes", "adds, gzip");
row("---", ..."-".repeat(8).split("").map(() => "---:"));

for (const [compiler, suffix] of [["TinyGo", ""], ["standard Go", "-go"]]) {
  const base = readFileSync(new URL(`plain${suffix}.wasm`, folder));
  for (const [name, file] of [["Ascon-128a", "ascon"], ["ChaCha20-Poly1305", "chacha"], ["AES-128-GCM", "gcm"]]) {
    const bytes = readFileSync(new URL(`${file}${suffix}.wasm`, folder));
    const engine = instance(bytes);
    const cells = ["seal", "unseal"].flatMap((call) => sizes.map((n) => {
      engine.seal(n);
      return rate(n, time(() => {
        if (!engine[call](n)) throw new Error(`${file}: does not open`);
      }));
    }));
    const zipped = (b) => gzipSync(b, { level: 9 }).length;
    row(`${name}, ${compiler}`, ...cells, bytes.length - base.length, zipped(bytes) - zipped(base));
  }
}

// WebCrypto answers by a promise: it is measured as the host would use it, one await for each call.
const cells = [];
for (const call of ["encrypt", "decrypt"])
  for (const n of sizes) {
    const iv = new Uint8Array(12);
    const raw = new Uint8Array(16);
    const key = () => crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
    let data = new Uint8Array(n);
    if (call === "decrypt") data = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await key(), data);
    cells.push(rate(n, await timeAsync(async () => crypto.subtle[call]({ name: "AES-GCM", iv }, await key(), data))));
  }
row("AES-128-GCM, WebCrypto from JavaScript", ...cells, 0, 0);

function instance(bytes) {
  const module = new WebAssembly.Module(bytes);
  const imports = {};
  let exports;
  const memory = () => new DataView(exports.memory.buffer);
  const wasi = {
    random_get: (at, n) => crypto.getRandomValues(new Uint8Array(exports.memory.buffer, at, n)),
    clock_time_get: (id, precision, at) => memory().setBigUint64(at, BigInt(Date.now()) * 1000000n, true),
    environ_sizes_get: (count, size) => [count, size].forEach((at) => memory().setUint32(at, 0, true)),
    args_sizes_get: (count, size) => [count, size].forEach((at) => memory().setUint32(at, 0, true)),
  };
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    (imports[from] ??= {})[name] = (...a) => (wasi[name]?.(...a), name === "fd_prestat_get" ? 8 : 0);
  exports = new WebAssembly.Instance(module, imports).exports;
  exports._initialize();
  return exports;
}

function time(call) {
  const parts = [];
  for (let part = 0, n = 4; part < 8; ) {
    const began = process.cpuUsage();
    for (let i = 0; i < n; i++) call();
    const { user, system } = process.cpuUsage(began);
    if (user + system < 20_000 && n < 1e6) n *= 2; // too short to tell
    else part = parts.push((user + system) / n);
  }
  return Math.min(...parts);
}

async function timeAsync(call) {
  const parts = [];
  for (let part = 0, n = 64; part < 8; ) {
    const began = process.cpuUsage();
    for (let i = 0; i < n; i++) await call();
    const { user, system } = process.cpuUsage(began);
    if (user + system < 20_000) n *= 2;
    else part = parts.push((user + system) / n);
  }
  return Math.min(...parts);
}

// rate is megabytes a second for so many bytes in so many microseconds.
function rate(bytes, micros) {
  return `${(bytes / micros).toFixed(0)} MB/s`;
}
