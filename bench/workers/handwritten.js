// What one would write by hand in JavaScript: the same three branches, and no more. Naive on purpose: the raw
// body is the fingerprint, nothing is sealed or signed, no lease, no trail, no log line; a duplicate that races
// is refused with 409.
import { Cell } from "./cell.js";
export { Cell };

export default {
  async fetch(request, env, ctx) {
    const { pathname, search } = new URL(request.url);
    const target = new URL(pathname + search, env.ORIGIN_URL);
    if (request.method !== "POST") return keyed(await fetch(target, new Request(request, { redirect: "manual" })));
    const body = await request.arrayBuffer();
    const key = new URLSearchParams(new TextDecoder().decode(body)).get("idempotency_key");
    const forward = () => fetch(target, { method: "POST", headers: request.headers, body, redirect: "manual" });
    if (!key) return forward();

    const print = hex(await crypto.subtle.digest("SHA-256", body));
    const name = `${pathname}:${key}`;
    const cell = env.CLAIMS.getByName(`shard-${parseInt(key.slice(0, 2), 16) % 32}`);
    const version = crypto.randomUUID();
    const found = await cell.swap(name, "", version, { print });
    if (found && found.record.print !== print)
      return new Response("<p>This form was sent before, with other values.</p>", { status: 422, headers: { "Content-Type": "text/html" } });
    if (found && !found.record.status) return new Response("Still running.\n", { status: 409, headers: { "Retry-After": "1" } });
    if (found) {
      const { status, headers, body } = found.record;
      return new Response(body, { status, headers: [...headers, ["Idempotency-Replayed", "true"], ["Cache-Control", "no-store"]] });
    }
    const answer = await forward();
    const bytes = await answer.arrayBuffer();
    const kept = answer.status < 400 && answer.status !== 304;
    const headers = [...answer.headers].filter(([name]) => KEPT.test(name));
    await cell.swap(name, version, kept ? crypto.randomUUID() : "", { print, status: answer.status, headers, body: bytes });
    if (kept) ctx.waitUntil(env.ANSWERS.put(name, bytes, { expirationTtl: 86400, metadata: { status: answer.status } }));
    return new Response(bytes, answer);
  },
};

const KEPT = /^(content-type|location|hx-.*|etag|link)$/;
const hex = (digest) => [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, "0")).join("");

// keyed puts a key into each form of a page, with the runtime's own rewriter.
function keyed(page) {
  if (!page.headers.get("Content-Type")?.startsWith("text/html")) return page;
  const answer = new HTMLRewriter().on('form[method="post" i]', {
    element(form) {
      form.prepend(`<input type="hidden" name="idempotency_key" value="${crypto.randomUUID()}">`, { html: true });
    },
  }).transform(page);
  answer.headers.set("Cache-Control", "private, no-cache");
  return answer;
}
