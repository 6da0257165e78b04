import { concat, engine } from "./engine.js";
export { Claims } from "./cell.js";

// The host carries out what core's exchange decides: each effect below is one of core.EffectKind, in its order,
// and each event one of core.EventKind. There is no decision here.
const [HASHED, SWAPPED, REFUSED, CHANGED, TIMED_OUT, BUSY, STORE_FAILED, HEAD, BODY, ORIGIN_FAILED, FOUND, MISSING,
  KEPT, KEEP_FAILED, SENT] = Array(15).keys();

export default {
  fetch(request, env, ctx) {
    const answer = Promise.withResolvers();
    // A double click cancels the first request; its exchange goes on to the commit (contract §1.8).
    ctx.waitUntil(new Carrier(request, env, ctx, answer).run());
    return answer.promise;
  },
};

class Carrier {
  body = []; // what was read of the visitor's body
  calls = { store: 0, kv: 0 };

  constructor(request, env, ctx, answer) {
    Object.assign(this, { request, env, ctx, answer, began: Date.now() });
  }

  async run() {
    try {
      this.x = engine(this.env).begin(this.request);
      for (let more = true; more; ) {
        const e = this.x.effect;
        if (e.delay) await scheduler.wait(e.delay);
        more = await [this.hash, this.drain, this.swap, this.wait, this.forward, this.collect, this.fetch, this.keep,
          this.end, this.respond][e.do].call(this, e);
      }
    } catch (error) {
      console.error("guard:", error.stack);
      this.answer.resolve(new Response("The guard failed. Nothing was lost; please send it again.\n", {
        status: 503, headers: { "Retry-After": "1", "Idempotency-Status": "refused", "Cache-Control": "no-store" },
      }));
    } finally {
      clearInterval(this.renewal);
      if (!this.streaming) this.x?.drop();
    }
  }

  next(kind, event) {
    this.x.next(kind, event);
    return true;
  }

  // read takes pieces from a reader until n bytes are there or it ends, and says whether it ended.
  async read(reader, n, take) {
    for (let size = 0; size <= n; ) {
      const { done, value } = await reader.read();
      if (done) return true;
      size += value.length;
      take(value);
    }
    return false;
  }

  async hash(e) {
    this.reader = this.request.body?.getReader();
    this.whole = !this.reader || (await this.read(this.reader, e.limit, (piece) => {
      this.body.push(piece);
      this.x.feed(piece);
    }));
    return this.next(HASHED, { whole: this.whole });
  }

  async drain() {
    await this.pump;
    if (!this.whole) await this.read(this.reader, Infinity, (piece) => this.x.feed(piece));
    this.whole = true;
    return this.next(HASHED, { whole: true });
  }

  store(e) {
    this.calls.store++;
    return this.env.CLAIMS.getByName(e.shard, { locationHint: e.region });
  }

  // seen turns what a claim store holds into an event, and keeps its sealed body at hand.
  seen(kind, row) {
    this.record = row.body && new Uint8Array(row.body);
    return this.next(kind, { ...row, hasBody: row.body !== null });
  }

  async swap(e) {
    this.sealed ??= e.body ? this.x.seal(concat(this.out)) : undefined;
    let row;
    try {
      row = await this.store(e).swap({ ...e, head: e.head.slice(), body: e.body ? this.sealed : null });
    } catch (error) {
      return this.failed(STORE_FAILED, error);
    }
    return row ? this.seen(REFUSED, row) : this.next(SWAPPED);
  }

  async wait(e) {
    let row;
    try {
      row = await this.store(e).wait({ name: e.name, old: e.old, ms: e.wait });
    } catch (error) {
      return this.failed(STORE_FAILED, error);
    }
    return row === "busy" ? this.next(BUSY) : row ? this.seen(CHANGED, row) : this.next(TIMED_OUT);
  }

  failed(kind, error, event) {
    console.warn("guard:", error.message);
    return this.next(kind, event);
  }

  async forward(e) {
    if (e.lease) this.renewal = setInterval(() => this.store(e).renew(e).catch(() => {}), e.lease / 3);
    const { ORIGIN_URL, ORIGIN } = this.env;
    const url = new URL(this.request.url);
    const target = ORIGIN_URL ? new URL(url.pathname + url.search, ORIGIN_URL) : url;
    const init = { headers: edited(this.request.headers, e.edit), redirect: "manual" };
    if (this.reader) init.body = this.whole && !(ORIGIN_URL && e.lease) ? concat(this.body) : this.stream(e.stream);
    try {
      const outgoing = this.reader ? new Request(target, { method: this.request.method, ...init })
        : new Request(new Request(target, this.request), init);
      this.response = await (!ORIGIN_URL && ORIGIN ? ORIGIN : globalThis).fetch(outgoing);
    } catch (error) {
      return this.failed(ORIGIN_FAILED, error, { sent: this.sent ?? true });
    }
    const { status, headers } = this.response;
    return this.next(HEAD, { status, headers: [...headers].map(([n, v]) => `${n}\n${v}\n`).join("") });
  }

  // stream sends what was read of the visitor's body, and the rest of a large one, which is hashed on its way if
  // the engine asks. The runtime does not tell a refused connection from a broken one; but each write is taken
  // only when the one before has moved on, so with the last one untaken no whole request has reached the origin.
  // The runtime has two places where a write can rest on its way, hence three small ones first.
  stream(hashed) {
    const read = concat(this.body.splice(0));
    const length = this.whole ? read.length : this.request.headers.get("Content-Length");
    const { readable, writable } = length === null ? new IdentityTransformStream() : new FixedLengthStream(+length);
    this.sent = read.length <= 3;
    this.pump = (async () => {
      const writer = writable.getWriter();
      for (let i = 0; i < 3; i++) await writer.write(read.subarray(i, i + 1));
      await writer.write(read.subarray(3));
      this.sent = true;
      for (let step; !this.whole && !(step = await this.reader.read()).done; ) {
        if (hashed) this.x.feed(step.value);
        await writer.write(step.value);
      }
      this.whole = true;
      await writer.close();
    })().catch(() => {}); // the fetch fails with it
    return readable;
  }

  async collect(e) {
    this.out = [];
    let length = 0;
    this.rest = this.response.body?.getReader();
    const take = (piece) => {
      length += piece.length;
      if (piece.length) this.out.push(piece);
    };
    const pour = (piece, last) => take(e.inject ? this.x.pour(piece, last) : piece);
    try {
      this.ended = !this.rest || (await this.read(this.rest, e.limit, (piece) => pour(piece, false)));
    } catch (error) {
      return this.failed(ORIGIN_FAILED, error, { sent: true });
    }
    if (this.ended) pour(new Uint8Array(), true);
    return this.next(BODY, { length, tooLarge: !this.ended || length > e.limit, whole: this.whole });
  }

  async fetch(e) {
    this.calls.kv++;
    const value = await this.env.ANSWERS.get(e.name, "arrayBuffer").catch(() => null);
    if (!value) return this.next(MISSING);
    // Under a record's name stand its head, which tells its length, and the body; else the body alone.
    const head = e.name.includes(".") ? 0 : 25 + new DataView(value).getUint32(21);
    this.record = new Uint8Array(value, head);
    return this.next(FOUND, { head: value.slice(0, head), hasBody: this.record.length > 0 });
  }

  put(name, bytes, ttl) {
    this.calls.kv++;
    return this.env.ANSWERS.put(name, bytes, { expirationTtl: Math.max(60, Math.ceil(ttl / 1000)) });
  }

  async keep(e) {
    this.sealed = this.x.seal(concat(this.out));
    return this.put(e.name, this.sealed, e.ttl).then(() => this.next(KEPT), (error) => this.failed(KEEP_FAILED, error));
  }

  end() {
    return false;
  }

  async respond(e) {
    clearInterval(this.renewal);
    let { status, headers, inline: body = null } = e;
    let response = this.response;
    if (e.source === 2) {
      body = this.x.open(this.record);
      if (!body) throw new Error("stored body does not open");
      if (e.before) body = concat([e.before, body, e.after]);
    }
    if (e.source !== 1) response = new Response(bodiless(status) ? null : body, { status, headers });
    else if (this.out) response = this.origin(edited(response.headers, e.edit), this.ended ? concat(this.out) : this.pouring(this.rest, this.out, e.inject));
    else if (e.inject) response = await this.page(e);
    else if (e.edit) response = this.origin(edited(response.headers, e.edit), response.body);
    this.answer.resolve(response);
    if (e.keepAll) {
      const bytes = e.body ? concat([e.head, this.sealed]) : e.head;
      this.ctx.waitUntil(this.put(e.name, bytes, e.ttl).catch((error) => console.warn("guard:", error.message)));
    }
    if (e.outcome) console.log(JSON.stringify({ key: e.name, rule: e.rule, status: response.status, outcome: e.outcome,
      ...this.calls, ms: Date.now() - this.began }));
    return e.more ? this.next(SENT) : false;
  }

  // origin is the origin's answer with other headers and perhaps another body.
  origin(headers, body) {
    const { status, statusText } = this.response;
    return new Response(bodiless(status) ? null : body, { status, statusText, headers });
  }

  // page streams an html answer through the engine. With hold, its head waits until a key is in it, at most limit
  // bytes; a page without a form keeps all its headers (contract §6).
  async page(e) {
    const reader = this.response.body.getReader();
    const first = [];
    let done = false;
    for (let size = 0; e.hold && !done && !this.x.keyed && size <= e.limit; ) {
      const step = await reader.read();
      done = step.done;
      size += step.value?.length ?? 0;
      first.push(this.x.pour(step.value ?? new Uint8Array(), done));
    }
    let headers = edited(this.response.headers, e.edit);
    if (e.hold && (!done || this.x.keyed)) headers = edited(headers, e.held);
    return this.origin(headers, done ? concat(first) : this.pouring(reader, first, true));
  }

  // pouring is a body: the pieces that are there, and the rest as it comes.
  pouring(reader, pieces, inject) {
    const { x } = this;
    this.streaming = true;
    return new ReadableStream({
      start: (stream) => pieces.filter((piece) => piece.length).forEach((piece) => stream.enqueue(piece)),
      async pull(stream) {
        for (let sent = false; !sent; ) {
          const { done, value = new Uint8Array() } = await reader.read();
          const piece = inject ? x.pour(value, done) : value;
          if ((sent = piece.length > 0)) stream.enqueue(piece);
          if (done) return x.drop(), stream.close();
        }
      },
      cancel: (reason) => (x.drop(), reader.cancel(reason)),
    });
  }
}

// bodiless says whether a status forbids a body.
const bodiless = (status) => [101, 204, 205, 304].includes(status);

// edited is a copy of headers with an edit applied: names go, lines are set, and a Set-Cookie is added.
function edited(headers, edit) {
  const copy = new Headers(headers);
  for (const name of edit?.delete ?? []) copy.delete(name);
  for (const [name, value] of edit?.set ?? []) copy[name.toLowerCase() === "set-cookie" ? "append" : "set"](name, value);
  return copy;
}
