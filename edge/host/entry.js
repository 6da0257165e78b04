import { concat, engine, lines, PIECE } from "./engine.js";
import { served } from "../../wasm/serve.js";
export { Claims } from "./cell.js";

// The host carries out what core's exchange decides: each effect is one of core.EffectKind, in its order, and
// returns the event that answers it, one of core.EventKind. There is no decision here.
const EFFECTS = ["hash", "drain", "swap", "wait", "forward", "collect", "fetch", "trail", "forget",
  "keep", "end", "respond"];
const [HASHED, SWAPPED, REFUSED, CHANGED, TIMED_OUT, BUSY, STORE_FAILED, HEAD, BODY, ORIGIN_FAILED, FOUND, MISSING,
  KEPT, KEEP_FAILED, TRAIL, FORGOTTEN, SENT] = Array(17).keys();
const [ORIGIN, RECORD] = [1, 2]; // core.BodySource
const NOTHING = new Uint8Array();
const GATHER = 1000; // milliseconds for which notes are gathered
const gathered = new Map(); // claim store → trail → what is to be noted there

export default {
  fetch(request, env, ctx) {
    const file = served(request); // of the browser module
    if (file) return file;
    const answer = Promise.withResolvers();
    // A double click cancels the first request; its exchange goes on to the commit (contract §1.8).
    ctx.waitUntil(new Carrier(request, env, ctx, answer).run());
    return answer.promise;
  },
};

class Carrier {
  constructor(request, env, ctx, answer) {
    Object.assign(this, { request, env, ctx, answer, began: Date.now(), calls: { store: 0, kv: 0 } });
  }

  async run() {
    try {
      this.x = engine(this.env).begin(this.request);
      for (let event; (event = await this[EFFECTS[this.x.effect.do]](this.x.effect)); ) this.x.next(...event);
    } catch (error) {
      console.error("guard:", error.stack);
      const [outcome, text] = this.forwarded ? ["unknown", "The answer was lost on its way.\n"] : ["refused", "Nothing was sent. Please try again.\n"];
      const headers = { "Retry-After": "1", "Idempotency-Status": outcome, "Cache-Control": "no-store" };
      this.answer.resolve(new Response(text, { status: 503, headers }));
    } finally {
      if (this.renewal) clearInterval(this.renewal);
      if (!this.streaming) this.x?.drop();
    }
  }

  failed(kind, error, event) {
    console.warn("guard:", error.message);
    return [kind, event];
  }

  async hash({ limit }) {
    const read = [];
    this.reader = reader(this.request, limit);
    this.whole = !this.reader || (await pieces(this.reader, limit, (piece) => (read.push(piece), this.x.feed(piece))));
    this.body = concat(read);
    return [HASHED, { whole: this.whole }];
  }

  async drain() {
    await this.pump;
    if (!this.whole) this.whole = await pieces(this.reader, Infinity, this.x.feed);
    return [HASHED, { whole: true }];
  }

  store(e) {
    this.calls.store++;
    return this.env.CLAIMS.getByName(e.shard, { locationHint: e.region });
  }

  // ask calls a claim store; what it holds becomes an event, its sealed body stays at hand.
  async ask(call, kind, nothing) {
    try {
      const row = await call();
      if (!row || row === "busy") return row ? [BUSY] : [nothing];
      this.record = row.body && new Uint8Array(row.body);
      return [kind, { ...row, head: row.head ?? NOTHING, hasBody: row.body !== null }];
    } catch (error) {
      return this.failed(STORE_FAILED, error);
    }
  }

  async swap(e) {
    if (e.delay) await scheduler.wait(e.delay);
    if (e.body) this.sealed ??= this.x.seal(concat(this.out));
    const { name, old, version, lapsed, lease, ttl, bodyTtl, head, trail, note } = e;
    const write = { name, old, version, lapsed, lease, ttl, bodyTtl, head, trail, note, body: e.body ? this.sealed : null };
    return this.ask(() => this.store(e).swap(write), REFUSED, SWAPPED);
  }

  wait(e) {
    return this.ask(() => this.store(e).wait({ name: e.name, old: e.old, ms: e.wait, trail: e.trail }), CHANGED, TIMED_OUT);
  }

  async forward(e) {
    const { request, env } = this;
    const { trail, name, version, lease } = e;
    this.forwarded = true;
    if (lease) this.renewal = setInterval(() => this.store(e).renew({ trail, name, version, lease }).catch(() => {}), lease / 3);
    // Put together as text: a path that begins with two slashes must not name another host.
    const url = env.ORIGIN_URL ? new URL(env.ORIGIN_URL).origin + request.url.slice(request.url.indexOf("/", 8)) : request.url;
    let init = request;
    if (this.reader) {
      const body = e.strip ? this.x.strip(this.body) : this.body;
      this.stripped = body.length - this.body.length;
      this.body = body;
      init = { method: request.method, headers: request.headers, redirect: "manual" };
      init.body = this.whole && !(env.ORIGIN_URL && lease) ? body : this.stream(e.stream);
    }
    try {
      const outgoing = new Request(url, init);
      edit(outgoing.headers, e.edit);
      this.response = await (env.ORIGIN_URL ? globalThis : (env.ORIGIN ?? globalThis)).fetch(outgoing);
    } catch (error) {
      return this.failed(ORIGIN_FAILED, error, { sent: this.sent ?? true });
    }
    return [HEAD, { status: this.response.status, head: lines(this.response.headers) }];
  }

  // stream sends what was read of the visitor's body, and the rest of a large one, which is hashed on its way if
  // the engine asks. The runtime does not tell a refused connection from a broken one; but each write is taken
  // only when the one before has moved on, so with the last one untaken no whole request has reached the origin.
  // The runtime has three places where a write can rest on its way, hence three small ones first.
  stream(hashed) {
    const read = this.body;
    const length = this.whole ? read.length : +this.request.headers.get("Content-Length") + this.stripped;
    const { readable, writable } = length > 0 ? new FixedLengthStream(length) : new IdentityTransformStream();
    this.sent = read.length <= 3;
    const writer = writable.getWriter();
    this.pump = (async () => {
      for (const cut of [0, 1, 2]) await writer.write(read.subarray(cut, cut + 1));
      await writer.write(read.subarray(3));
      for (let step; !this.whole; ) {
        // A visitor who breaks off an upload ends the request to the origin too; else it would hang, and the lease
        // with it. An origin that does not read to the end is no reason to end anything.
        step = await this.reader.read().catch((error) => writer.abort(error).then(() => Promise.reject(error)));
        if ((this.whole = step.done)) break;
        if (hashed) this.x.feed(step.value);
        await writer.write(step.value);
      }
      this.sent = true;
      await writer.close();
    })().catch(() => {}); // the fetch fails with it, or has its answer already
    return readable;
  }

  async collect({ limit, inject }) {
    let length = 0;
    this.out = [];
    const take = (piece) => piece.length && ((length += piece.length), this.out.push(piece));
    const rest = reader(this.response, limit);
    try {
      this.ended = !rest || (await pieces(rest, limit, (piece) => take(inject ? this.x.pour(piece) : piece)));
    } catch (error) {
      this.ended = true; // as far as anybody will get
      return this.failed(ORIGIN_FAILED, error, { length, sent: this.sent ?? true });
    }
    if (this.ended && inject) take(this.x.pour(NOTHING, true));
    rest?.releaseLock();
    return [BODY, { length, tooLarge: !this.ended || length > limit, whole: this.whole }];
  }

  async fetch({ name }) {
    this.calls.kv++;
    const value = await this.env.ANSWERS.get(name, "arrayBuffer").catch((error) => this.failed(null, error)[0]);
    if (!value) return [MISSING];
    // Under a record's name stand its head, which tells its length, and the body; else the body alone.
    const head = name.includes(".") ? 0 : 25 + new DataView(value).getUint32(21);
    this.record = new Uint8Array(value, head);
    return [FOUND, { head: value.slice(0, head), hasBody: this.record.length > 0 }];
  }

  put(name, bytes, ttl) {
    this.calls.kv++;
    return this.env.ANSWERS.put(name, bytes, { expirationTtl: Math.max(60, Math.ceil(ttl / 1000)) });
  }

  keep(e) {
    this.sealed = this.x.seal(concat(this.out));
    return this.put(e.name, this.sealed, e.ttl).then(() => [KEPT], (error) => this.failed(KEEP_FAILED, error));
  }

  async trail(e) {
    await this.tell(e);
    return this.store(e).trail(e).then(({ count, entries }) => [TRAIL, { length: count, head: entries }],
      (error) => this.failed(STORE_FAILED, error));
  }

  async forget(e) {
    await this.tell(e);
    // The claim store last: as long as it knows the trail, forgetting can be repeated.
    return Promise.all(e.names.map((name) => this.env.ANSWERS.delete(name))).then(() => this.store(e).forget(e))
      .then(() => [FORGOTTEN], (error) => this.failed(STORE_FAILED, error));
  }

  // note gathers what happened beside answers, so that a burst of duplicates is one call of their claim store. A
  // mismatch goes at once: the store counts them. Who dies meanwhile loses it from the trail, and nothing else.
  note(e) {
    const { shard, trail, note, ttl, tally = 0 } = e;
    const trails = gathered.get(shard) ?? new Map();
    const notes = trails.get(trail) ?? { trail, parts: [], ttl: 0, tally: 0 };
    gathered.set(shard, trails.set(trail, notes));
    notes.parts.push(note);
    notes.ttl = Math.max(notes.ttl, ttl);
    notes.tally += tally;
    if (tally || !(trails.due + GATHER > Date.now())) {
      trails.due = Date.now() + GATHER;
      this.ctx.waitUntil(tally ? this.tell(e) : scheduler.wait(GATHER).then(() => this.tell(e)));
    }
  }

  // tell sends what is gathered. What could not be sent goes with the next notes, once.
  async tell(e) {
    const trails = gathered.get(e.shard);
    gathered.delete(e.shard);
    const all = Array.from(trails?.values() ?? [], ({ parts, ...notes }) => ({ ...notes, note: concat(parts) }));
    if (!trails) return;
    try {
      await this.store(e).note(all);
    } catch (error) {
      this.failed(STORE_FAILED, error);
      if (!trails.tried && !gathered.has(e.shard)) gathered.set(e.shard, Object.assign(trails, { tried: true }));
    }
  }

  end() {}

  async respond(e) {
    if (this.renewal) clearInterval(this.renewal);
    let { response } = this;
    if (e.source !== ORIGIN) {
      const body = e.source === RECORD ? this.x.open(this.record) : (e.inline ?? NOTHING);
      if (!body) throw new Error("a stored body does not open");
      response = answer(e, e.before || e.after ? concat([e.before ?? NOTHING, body, e.after ?? NOTHING]) : body);
    } else if (this.out) {
      response = answer(response, this.ended ? concat(this.out) : this.pouring(this.out, e.inject), e.edit);
    } else if (e.inject) {
      response = await this.page(e);
    } else if (e.edit) {
      response = answer(response, response.body, e.edit);
    }
    this.answer.resolve(response);
    if (e.keepAll) {
      const kept = this.put(e.name, e.body ? concat([e.head, this.sealed]) : e.head, e.ttl);
      this.ctx.waitUntil(kept.catch((error) => this.failed(KEEP_FAILED, error)));
    }
    if (e.note) this.note(e);
    const { trail, shard, rule, outcome, warning } = e;
    const log = { key: shard && `${shard}.${trail}`, rule, status: response.status, outcome, warning, ...this.calls, ms: Date.now() - this.began };
    if (outcome) console.log(JSON.stringify(log));
    return e.more && [SENT];
  }

  // page streams an html answer through the engine. With hold, its head waits until a key is in it, at most limit
  // bytes; a page without a form keeps all its headers (contract §6).
  async page(e) {
    const first = [];
    const reader = this.response.body.getReader();
    let step = {};
    for (let size = 0; e.hold && !step.done && this.x.keyed < 2 && size <= e.limit; size += step.value?.length ?? 0) {
      step = await reader.read();
      first.push(this.x.pour(step.value ?? NOTHING, step.done));
    }
    reader.releaseLock();
    const more = e.hold && (step.done ? [null, e.altered, e.held][this.x.keyed] : e.held);
    return answer(this.response, step.done ? concat(first) : this.pouring(first, true), e.edit, more);
  }

  // pouring is a body: the pieces that are there, and the rest of the origin's as it comes, in pieces as large as
  // it is fast.
  pouring(first, inject) {
    const { readable, writable } = new IdentityTransformStream();
    this.streaming = true;
    const out = writable.getWriter();
    const put = async (piece) => piece.length && (await out.write(piece));
    const pump = async () => {
      const rest = this.response.body.getReader({ mode: "byob" });
      for (const piece of first) await put(piece);
      for (let step, room = PIECE; !(step = await rest.read(new Uint8Array(room))).done; room = step.value.buffer)
        await put(inject ? this.x.pour(step.value) : step.value);
      if (inject) await put(this.x.pour(NOTHING, true));
      await out.close();
    };
    this.ctx.waitUntil(pump().catch((error) => out.abort(error)).catch(() => {}).finally(() => this.x.drop()));
    return readable;
  }
}

// reader reads a body: a short one of known length in one turn of the runtime, where else each piece and the end
// take one.
function reader(message, limit) {
  const length = message.headers.get("Content-Length");
  if (!message.body || !length || +length > limit || message.headers.has("Content-Encoding")) return message.body?.getReader();
  let all;
  const read = async () => (all ? { done: true } : { value: new Uint8Array(await (all = message.arrayBuffer())) });
  return { read, releaseLock() {} };
}

// pieces takes pieces from a reader until n bytes are exceeded or it ends, and says whether it ended.
async function pieces(reader, n, take) {
  for (let size = 0; size <= n; ) {
    const { done, value } = await reader.read();
    if (done) return true;
    size += value.length;
    take(value);
  }
  return false;
}

// answer is a response with that body, and the head of another, edited.
function answer(head, body, ...edits) {
  const made = new Response([101, 204, 205, 304].includes(head.status) ? null : body, head);
  for (const changes of edits) edit(made.headers, changes);
  return made;
}

// edit applies an edit: names go, lines are set, and a Set-Cookie is added.
function edit(headers, changes) {
  for (const name of changes?.delete ?? []) headers.delete(name);
  for (const [name, value] of changes?.set ?? []) headers[/^set-cookie$/i.test(name) ? "append" : "set"](name, value);
}
