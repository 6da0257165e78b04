// size.mjs prints the bytes of what is shipped, as they are, by gzip -9 and by brotli 11, with htmx and
// extensions of it for comparison, and the integrity values of the browser module. Its budget is 45,000 bytes of
// brotli for all that a browser loads; the exit status is 1 above it, unless standard Go stood in for TinyGo.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const BUDGET = 45_000;
const cells = (list) => list.map((cell) => cell.toLocaleString("en").padStart(12)).join("");
const row = (name, list) => console.log(`  ${name.padEnd(42)}${cells(list)}`);

function sizes(file) {
	const bytes = readFileSync(file);
	const brotli = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: 24 } };
	return [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes, brotli).length];
}
const plus = (a, b) => a.map((n, i) => n + b[i]);

const folder = "build/browser/package";
const names = readdirSync(folder);
const named = (pattern) => `${folder}/${names.find((name) => pattern.test(name))}`;
const parts = [["loader", named(/^singleshot\.js$/)], ["the rest of its JavaScript", named(/^page-.*\.js$/)], ["wasm", named(/\.wasm$/)]];

console.log(`${"bytes".padEnd(44)}${["raw", "gzip -9", "brotli 11"].map((name) => name.padStart(12)).join("")}`);
console.log("the browser module");
let all = [0, 0, 0];
for (const [name, file] of parts) {
	const size = sizes(file);
	row(name, size);
	all = plus(all, size);
}
row("all that a browser loads", all);
console.log("for comparison");
for (const [name, file] of [
	["htmx 1.9.12", "htmx1/dist/htmx.min.js"], ["htmx 2.0.11", "htmx.org/dist/htmx.min.js"], ["htmx 4.0.1", "htmx4/dist/htmx.min.js"],
	["hx-ws of htmx 4", "htmx4/dist/ext/hx-ws.min.js"], ["hx-live of htmx 4", "htmx4/dist/ext/hx-live.min.js"],
	["hx-history-cache of htmx 4", "htmx4/dist/ext/hx-history-cache.min.js"], ["the component kit's behaviours", "@hypermedia-components/core/dist/hc.behaviors.min.js"],
]) if (existsSync(`node_modules/${file}`)) row(name, sizes(`node_modules/${file}`));
console.log("the guard's engine");
row("TinyGo", sizes("build/guard.wasm"));
row("standard Go", sizes("build/guard-go.wasm"));

console.log("\nintegrity, for pages that load the package folder from elsewhere");
for (const [name, value] of Object.entries(JSON.parse(readFileSync("build/browser/integrity.json")))) console.log(`  ${name}\n    ${value}`);

const standardGo = all[0] > 1_000_000;
if (all[2] > BUDGET && !standardGo) {
	console.error(`\nThe browser module has ${all[2]} bytes of brotli, ${all[2] - BUDGET} above its budget of ${BUDGET}.`);
	process.exit(1);
}
