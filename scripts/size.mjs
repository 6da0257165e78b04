// size.mjs FILE...: bytes of each file as it is, by gzip -9 and by brotli 11.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const row = (name, ...cells) => console.log(name.padEnd(24) + cells.map((cell) => cell.toLocaleString("en").padStart(12)).join(""));
row("", "raw", "gzip", "brotli");
for (const file of process.argv.slice(2)) {
	const bytes = readFileSync(file);
	const brotli = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: 24 } };
	row(file, bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes, brotli).length);
}
