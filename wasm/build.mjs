// build.mjs WASM OUT makes what is shipped of the browser module out of its sources and the compiled wasm:
//
//   OUT/files.js and OUT/*.bin   what the Worker serves, compressed, as modules (serve.js)
//   OUT/package/                 the folder for npm and CDNs, with types and an ESM entry
//   OUT/integrity.json           the integrity value of each file
//
// page.js and the wasm carry a digest of their content in their names and never change; the loader knows both names.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [wasmPath, out] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(here, "package/package.json")));

const digest = (bytes, encoding, algorithm = "sha384") => createHash(algorithm).update(bytes).digest(encoding);
const integrity = (bytes) => `sha384-${digest(bytes, "base64")}`;
const hashed = (name, ext, bytes) => `${name}-${digest(bytes, "hex", "sha256").slice(0, 12)}.${ext}`;

async function script(source, format, names = {}) {
	const define = Object.fromEntries(Object.entries(names).map(([name, value]) => [name, JSON.stringify(value)]));
	const { outputFiles } = await build({
		entryPoints: [join(here, source)], write: false, bundle: true, minify: true, format, target: "es2022", charset: "utf8",
		define, logOverride: { "empty-import-meta": "silent" }, logLevel: "warning",
	});
	return Buffer.from(outputFiles[0].contents);
}

// without drops the sections that nothing runs by: names and producers.
function without(module) {
	const kept = [module.subarray(0, 8)];
	for (let at = 8; at < module.length; ) {
		const start = at++;
		let size = 0;
		for (let shift = 0; ; shift += 7) {
			const byte = module[at++];
			size |= (byte & 127) << shift;
			if (byte < 128) break;
		}
		at += size;
		if (module[start] !== 0) kept.push(module.subarray(start, at));
	}
	return Buffer.concat(kept);
}

const wasm = without(readFileSync(wasmPath));
const wasmName = hashed("singleshot", "wasm", wasm);
const page = await script("page.js", "esm");
const pageName = hashed("page", "js", page);
const names = {
	VERSION: version, PAGE_FILE: pageName, PAGE_INTEGRITY: integrity(page), WASM_FILE: wasmName, WASM_INTEGRITY: integrity(wasm),
};
const loader = await script("singleshot.js", "iife", names);
const entry = await script("singleshot.js", "esm", names);

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "package"), { recursive: true });

const files = [["singleshot.js", loader, "text/javascript; charset=utf-8"], [pageName, page, "text/javascript; charset=utf-8"],
	[wasmName, wasm, "application/wasm"]];
const imports = [], rows = [];
for (const [name, bytes, type] of files) {
	const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: 24 } });
	const codings = { br: brotli, gzip: gzipSync(bytes, { level: 9 }), identity: bytes };
	const parts = Object.entries(codings).map(([coding, content]) => {
		writeFileSync(join(out, `${name}.${coding}.bin`), content);
		imports.push(`import f${imports.length} from "./${name}.${coding}.bin";`);
		return `${coding}: f${imports.length - 1}`;
	});
	const tag = `W/"${digest(bytes, "hex").slice(0, 24)}"`; // weak: one for all codings
	rows.push(`  [${JSON.stringify(name)}, { type: ${JSON.stringify(type)}, tag: ${JSON.stringify(tag)}, fixed: ${name !== "singleshot.js"}, ${parts.join(", ")} }],`);
}
writeFileSync(join(out, "files.js"), `// Made by wasm/build.mjs.\n${imports.join("\n")}\n\nexport const files = new Map([\n${rows.join("\n")}\n]);\n`);

for (const [name, bytes] of files) writeFileSync(join(out, "package", name), bytes);
writeFileSync(join(out, "package/singleshot.mjs"), entry);
for (const name of ["package.json", "README.md", "singleshot.d.ts"]) copyFileSync(join(here, "package", name), join(out, "package", name));
copyFileSync(join(here, "../LICENSE"), join(out, "package/LICENSE"));
const all = [...files, ["singleshot.mjs", entry]];
writeFileSync(join(out, "integrity.json"), JSON.stringify(Object.fromEntries(all.map(([name, bytes]) => [name, integrity(bytes)])), null, "\t") + "\n");
