// browser-engines.mjs TINYGO GO starts the browser module's wasm as each compiler builds it, by the module's own
// engine.js, and holds the two against each other: who has no TinyGo serves standard Go's to browsers.
import { readFileSync } from "node:fs";
import { boot, STATE } from "../wasm/engine.js";

const [tinyGo, go] = process.argv.slice(2);
const engines = await Promise.all([tinyGo, go].map((file) => boot(`data:application/wasm;base64,${readFileSync(file, "base64")}`))).catch(() => {
  console.error("an engine does not start"); // what is thrown has the whole address in it
  process.exit(1);
});
let checked = 0;
let failed = 0;

function same(what, call) {
  const [a, b] = engines.map((engine) => JSON.stringify(call(engine)) ?? "nothing");
  checked++;
  if (a !== b && ++failed <= 10) console.error(`${what}\n  TinyGo ${a}\n  Go     ${b}`);
  return a;
}

const url = new URL("https://shop.example/orders?from=cart");
const place = (n, repeat) => ({ key: `key-${n}`, method: "post", override: "", path: "/orders", repeat });
for (let round = 0; round < 50; round++) {
  const to = place(round % 20, round % 4 === 3);
  const bytes = Uint8Array.from({ length: (round * 9973) % 150000 }, (_, i) => i * round);
  const entries = [["amount", `${round % 7}`], ["note", "コーヒー\r\n".repeat(round * 300)], ["scan", { name: "a b.png", bytes }]];
  same(`form ${round}`, (engine) => {
    engine.form(1, "POST", url, [], entries);
    engine.form(0, "POST", url, round % 3 ? [] : ["note"], entries);
    return [engine.sum(), engine.submit(to, { again: round % 5 === 0, script: round % 7 === 0 })];
  });
  same(`answer ${round}`, (engine) => [engine.answer({ to, status: [200, 422, 303][round % 3], word: "created", place: "/thanks", followed: round % 2 }),
    STATE[engine.state(to)], engine.edit(to), engine.leave(to, round % 2), engine.say(round % 8, round % 2 ? "ja" : "en"), engine.client(round, "click")]);
}
const states = same("states", (engine) => [...Array(24).keys()].map((i) => STATE[engine.state(place(i))]));
same("saved", (engine) => {
  const saved = engine.save();
  engine.load(saved);
  return [saved, engine.save()];
});
if (!["live", "spent"].every((state) => states.includes(state))) {
  failed++;
  console.error(`states are ${states}`);
}

console.log(`${checked - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
