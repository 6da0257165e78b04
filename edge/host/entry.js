import { concat, Exchange, NOTHING, PIECE } from "./engine.js";
import { served } from "../../wasm/serve.js";
export { Claims } from "./cell.js";

export default {
  fetch(request, env, ctx) {
    // A double click cancels the first request; its exchange goes on to the commit (contract §1.8).
    return served(request) ?? new Promise((answer) => ctx.waitUntil(new Carrier(request, env, ctx, answer).run()));
  },
};

// Carrier carries out what the engine decides for one request: each effect (edge/guard/effect.go) names the method
// that does it, whose result is what was found. There is no decision here.
class Carrier {
  calls = { store: 0, kv: 0 };
  began = Date.now();

  constructor(request, env, ctx, answer) {
    Object.assign(this, { request, env, ctx, answer });
  }

  async run() {
    try {
      this.x = new Exchange(this.request, this.env);
      for (let { effect } = this.x; effect.do; ) {
        if (effect.delay) await scheduler.wait(effect.delay);
        const found = await this[effect.do](effect).catch((error) => this.failed(error));
        effect = effect.last && !found ? {} : this.x.next(found);
      }
    } catch (error) {
      console.error("guard:", error.stack);
      const [outcome, text] = this.forwarded ? ["unknown", "The answer was lost on its way.\n"] : ["refused", "Nothing was sent. Please try again.\n"];
      const headers = { "Retry-After": "1", "Idempotency-Status": outcome, "Cache-Control": "no-store" };
      this.answer(new Response(text, { status: 503, headers }));
    } finally {
      clearInterval(this.renewal);
      if (!this.streaming) this.x?.drop();
    }
  }

  // failed is what the engine is told of an error; one of its own is none that it could do anything about.
  failed(error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    console.warn("guard:", error.message);
    return { failed: true, length: this.length, sent: this.sent ?? true };
  }

  async pause() {}

  // hash feeds the visitor's body, and keeps what it reads of it, up to the limit; without one it feeds the rest.
  async hash({ limit = Infinity }) {
    await this.pump;
    this.reader ??= reader(this.request, limit);
    const read = [];
    const feed = (piece) => (limit < Infinity && read.push(piece), this.x.feed(piece));
    this.whole ||= !this.reader || (await flow(this.reader, feed, (n) => n > limit));
    this.body ??= concat(read);
    return { whole: this.whole };
  }

  // claims calls the claim store of a key. An answer is sealed once, whichever store it goes to first.
  async claims(e) {
    this.calls.store++;
    if (e.sealed) e.body = this.seal();
    return this.env.CLAIMS.getByName(e.shard, { locationHint: e.region })[e.call](e);
  }

  // answers calls KV.
  async answers(e) {
    this.calls.kv++;
    const bytes = e.call === "put" ? [concat([e.head ?? NOTHING, e.sealed ? this.seal() : NOTHING])] : [];
    const value = await this.env.ANSWERS[e.call](e.name, ...bytes, e.options);
    if (!value) return;
    const at = e.headed ? 25 + new DataView(value).getUint32(21) : 0; // a record's head tells its length
    return { head: value.slice(0, at), body: value.slice(at) };
  }

  seal() {
    return (this.sealed ??= this.x.seal(concat(this.out)));
  }

  async forward(e) {
    const { request, env } = this;
    this.forwarded = true;
    if (e.lease) this.renewal = setInterval(() => this.claims(e).catch(() => {}), e.lease / 3);
    // Put together as text: a path that begins with two slashes must not name another host.
    const url = e.origin ? e.origin + request.url.slice(request.url.indexOf("/", 8)) : request.url;
    let init = request;
    if (this.reader) {
      const body = e.strip ? this.x.strip(this.body) : this.body;
      this.stripped = body.length - this.body.length;
      this.body = body;
      init = { method: request.method, headers: request.headers, redirect: "manual" };
      init.body = this.whole && !(e.origin && e.lease) ? body : this.stream(e.stream);
    }
    const outgoing = new Request(url, init);
    edit(outgoing.headers, e.edit);
    this.response = await (e.origin ? globalThis : (env.ORIGIN ?? globalThis)).fetch(outgoing);
    return { status: this.response.status, headers: [...this.response.headers] };
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
    const send = async () => {
      for (const cut of [0, 1, 2]) await writer.write(read.subarray(cut, cut + 1));
      await writer.write(read.subarray(3));
      this.whole ||= await flow(this.reader, (piece) => (hashed && this.x.feed(piece), writer.write(piece)));
      this.sent = true;
      await writer.close();
    };
    // A visitor who breaks off an upload ends the request to the origin too; else it would hang, and the lease with
    // it. An origin that does not read to the end has its answer already: then there is nothing left to end.
    this.pump = send().catch((error) => writer.abort(error)).catch(() => {});
    return readable;
  }

  // collect reads the origin's answer through the engine, up to the limit, or with hold until a key is in it.
  async collect({ limit, inject, hold }) {
    this.out = [];
    this.length = 0;
    this.ended = true; // as far as anybody will get, if it breaks off
    const take = (piece) => piece.length && ((this.length += piece.length), this.out.push(piece));
    const rest = reader(this.response, hold ? 0 : limit);
    const enough = (n) => n > limit || (hold && this.x.keyed());
    this.ended = !rest || (await flow(rest, (piece) => take(inject ? this.x.pour(piece) : piece), enough));
    if (this.ended && inject) take(this.x.pour(NOTHING, true));
    rest?.releaseLock();
    return { length: this.length, tooLarge: !this.ended || this.length > limit, whole: this.whole };
  }

  async respond(e) {
    clearInterval(this.renewal);
    let { response } = this;
    if (e.status) {
      response = answer(e, concat([e.before ?? NOTHING, e.sealed ? this.x.open() : NOTHING, e.after ?? NOTHING]), e.edit);
    } else if (this.out || e.inject || e.edit) {
      const body = this.ended ? concat(this.out) : this.out || e.inject ? this.pouring(e.inject) : response.body;
      response = answer(response, body, e.edit);
    }
    this.answer(response);
    if (e.log) console.log(JSON.stringify({ ...e.log, ...this.calls, ms: Date.now() - this.began }));
  }

  // pouring is a body: what was collected of the origin's, and the rest as it comes, in pieces as large as it is fast.
  pouring(inject) {
    const { readable, writable } = new IdentityTransformStream();
    this.streaming = true;
    const out = writable.getWriter();
    const put = async (piece) => piece.length && (await out.write(piece));
    const pump = async () => {
      const rest = this.response.body.getReader({ mode: "byob" });
      for (const piece of this.out ?? []) await put(piece);
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

// flow takes what comes of a body until it ends, or is enough after so many bytes, and says whether it ended.
async function flow(reader, take, enough = () => false) {
  for (let size = 0; !enough(size); ) {
    const { done, value } = await reader.read();
    if (done) return true;
    size += value.length;
    await take(value);
  }
  return false;
}

// answer is a response with that body, and the head of another, edited.
function answer(head, body, changes) {
  const made = new Response([101, 204, 205, 304].includes(head.status) ? null : body, head);
  edit(made.headers, changes);
  return made;
}

// edit applies an edit: names go, lines are added.
function edit(headers, changes) {
  changes?.gone.forEach((name) => headers.delete(name));
  changes?.added.forEach(([name, value]) => headers.append(name, value));
}
