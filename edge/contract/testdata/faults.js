import guard, { Claims as Cell } from "../../host/entry.js";

// The guard as it is deployed, with faults that a test asks for in the header Faults, which the guard never sees:
//
//     Faults: swap#2=after, renew=slow:1500
//
// That request's second swap is made and its word lost; each of its renewals comes late. A plan names a call by
// its method and number ("swap#2"), that one and all later ones ("swap#2+"), or all of them ("swap"). The faults:
//
//     before        the call fails and did nothing
//     after         the call does its work, and its word is lost
//     overloaded    the store refuses, as one that has too much to do
//     nothing       nothing is done, or found, and nobody says so: KV elsewhere
//     slow:MS       the call comes late
//     late:MS       the call comes in time, its word late
//     cut-before    the exchange is killed before the call: of this request nothing more happens
//     cut-after     the exchange is killed after the call
//     restart-before, restart-after    the shard restarts, and forgets what it has not stored
//     trap          (of the engine's calls: begin, next, feed, pour, seal, open) the engine traps
//
// "clock=MS" sets the clock of everything in the isolate forward. An answer that a fault made says in the header
// Engine-Place which of the engine's places the exchange has.
export default {
  async fetch(request, env, ctx) {
    const plan = (beginning = new Plan(request.headers.get("Faults"), new URL(request.url).pathname));
    ahead += +plan.next("clock");
    const clean = new Request(request);
    clean.headers.delete("Faults");
    const answer = guard.fetch(clean, { ...env, CLAIMS: plan.claims(env.CLAIMS), ANSWERS: plan.answers(env.ANSWERS) }, ctx);
    return Promise.race([answer, plan.end]);
  },
};

// Claims is the cell as it ships, and can be restarted around a call.
export class Claims extends Cell {
  async restart(when, method, argument) {
    if (when === "after") await this[method](argument);
    await this.ctx.storage.sync();
    this.ctx.abort("the shard restarts");
  }
}

const NEVER = new Promise(() => {});

let ahead = 0; // milliseconds
const { now } = Date;
Date.now = () => now() + ahead;

// The engine is the one that ships. It is given more input than it has, which is out of bounds for any Go.
let beginning; // the plan of the request that begins its exchange
const { Instance } = WebAssembly;
WebAssembly.Instance = function (module, imports) {
  const { exports } = new Instance(module, imports);
  const plans = [];
  const begin = (none, n) => {
    const at = exports.begin(none, beginning.next("begin") === "trap" ? 5 : n);
    const [, handle] = /"handle":(\d+)/.exec(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at + 4, 512)));
    beginning.place = handle % 2 ** 16;
    plans[handle] = beginning;
    return at;
  };
  const trapping = ["next", "feed", "pour", "seal", "open"].map((name) => [name, (handle, n, ...rest) =>
    exports[name](handle, plans[handle].next(name) === "trap" ? 2 ** 31 : n, ...rest)]);
  return { exports: { ...exports, begin, ...Object.fromEntries(trapping) } };
};

// Plan is what shall go wrong in one request.
class Plan {
  constructor(text, path) {
    this.faults = new Map((text ?? "").split(",").filter(Boolean).map((one) => one.trim().split("=")));
    this.calls = {};
    const { promise, resolve } = Promise.withResolvers();
    Object.assign(this, { path, end: promise, resolve });
  }

  // next is the fault of the next call of that method.
  next(method) {
    const n = (this.calls[method] = (this.calls[method] ?? 0) + 1);
    const names = [`${method}#${n}`, ...Array.from({ length: n }, (_, i) => `${method}#${n - i}+`), method];
    return this.faults.get(names.find((name) => this.faults.has(name))) ?? "";
  }

  // call makes a call, or what the plan makes of it.
  async call(method, argument, real, restart) {
    if (this.cut) return NEVER;
    const [fault, ms] = this.next(method).split(":");
    const [what, when] = fault.split("-");
    if (what === "before") throw new Error(`${method}: failed before it did anything`);
    if (what === "overloaded") throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
    if (what === "nothing") return null;
    const pause = () => (console.log(`faults: ${method} is ${what} at ${this.path}.`), scheduler.wait(+ms));
    if (what === "slow") await pause();
    if (what === "restart") return restart(when);
    if (when !== "before") var word = await real(...argument);
    if (what === "after") throw new Error(`${method}: its word was lost`);
    if (what === "late") await pause();
    if (what !== "cut") return word;
    this.cut = true;
    this.resolve(new Response(`cut ${when} ${method}\n`, { status: 599, headers: { "Engine-Place": this.place } }));
    return NEVER;
  }

  claims(binding) {
    const methods = ["swap", "wait", "renew", "note", "read", "forget"];
    const stub = (...place) => binding.getByName(...place); // a new one each time: an exception breaks a stub
    return {
      getByName: (...place) => Object.fromEntries(methods.map((method) => [method, (...argument) =>
        this.call(method, argument, (...all) => stub(...place)[method](...all), (when) => stub(...place).restart(when, method, ...argument))])),
    };
  }

  answers(binding) {
    const calls = ["get", "put", "delete"].map((method) => [method, (...argument) =>
      this.call(method, argument, (...all) => binding[method](...all))]);
    return Object.fromEntries(calls);
  }
}
