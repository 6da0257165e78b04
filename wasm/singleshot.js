// singleshot.js, the loader: what must work at once, and where WebAssembly may not run. Two things are in it, for
// htmx 1.9, 2 and 4 and for plain forms: answers that a person has to see get swapped (422), and a form is sent
// once at a time. Then it fetches the rest: page.js and the wasm, which decides. No submit ever waits for those.
//
// The versions of htmx are told by the shape of their events: detail.ctx is 4; detail.xhr or detail.verb 1.9 or 2.

const FIELD = 'input[name="idempotency_key"]';
const LEAVING = 10_000; // ms after which a page that should have gone away has stayed: a download
const OWN = '[hx-get^="/_singleshot/"]'; // a notice of the guard that asks on by itself

const first = !globalThis.singleshot; // a second script tag does nothing
const on = (name, listener, capture) => first && addEventListener(name, listener, capture);

// is asks for a selector. What a form has under a name may be a field: <input name="matches">.
const is = (element, selector) => element instanceof Element && Element.prototype.matches.call(element, selector);

// formOf is the form that an element sends: itself, or the one that a button or link is in. A field that posts by
// itself (inline validation) is no submit.
function formOf(element) {
  if (is(element, "form")) return element;
  return is(element, ":not(select,textarea,input:not([type=submit],[type=image],[type=button]))") ? (element.form ?? element.closest("form")) : null;
}

// keyed is that form if it holds a key.
function keyed(element) {
  const form = formOf(element);
  return form?.querySelector(FIELD) ? form : null;
}

// One at a time. What holds a form is its request (an xhr, a ctx of htmx 4) or the page that goes away. Forms in
// repeat mode are not held: of an autosave the last one counts.
let held = new WeakMap();
const retrying = new WeakSet(); // requests that failed and go out again

function hold(form, by) {
  if (form && form.getAttribute("data-idempotency") !== "repeat") held.set(form, by);
}

// free is late by a turn: htmx sends what it has queued in the turn in which a request ends.
function free(form, by, after = 0) {
  setTimeout(() => held.get(form) === by && held.delete(form), after);
}

// refuse stops a submit of a form that another request holds.
function refuse(event, element, by) {
  const holder = held.get(formOf(element)); // a form whose content was swapped may have no key now
  if (!holder || holder === by) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

// rest is how long a form stays held after its answer: a page that is told to go elsewhere has not gone yet.
const rest = (header) => (header("HX-Redirect") || header("HX-Refresh") === "true" ? LEAVING : 0);

const sends = (verb) => verb && !/^(get|head|dialog)$/i.test(verb);

// stays says whether a target is this very window.
const stays = (target) => /^(_self)?$/i.test(target ?? document.querySelector("base[target]")?.target ?? "");

on("submit", (event) => refuse(event, event.target), true);
on("submit", (event) => {
  const { target: form, submitter, defaultPrevented } = event;
  const say = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name);
  if (defaultPrevented || !keyed(form) || !sends(say("method") ?? "get") || !stays(say("target"))) return;
  hold(form, event);
  free(form, event, LEAVING);
  setTimeout(() => event.defaultPrevented && free(form, event)); // by a listener that came later
});

on("htmx:configRequest", (event) => sends(event.detail.verb) && refuse(event, event.detail.elt));
on("htmx:beforeSend", ({ detail: { xhr, elt, requestConfig } }) => {
  const form = xhr && sends(requestConfig.verb) && keyed(elt);
  if (!form) return;
  // Only what is really sent holds: an exception on the way there would hold for ever.
  xhr.addEventListener("loadstart", () => hold(form, xhr));
  xhr.addEventListener("loadend", () => retrying.has(xhr) || free(form, xhr, xhr.status ? rest((name) => xhr.getResponseHeader(name)) : 0));
});

on("htmx:config:request", (event) => sends(event.detail.ctx.request.method) && refuse(event, event.detail.ctx.sourceElement));
on("htmx:before:request", (event) => {
  const { ctx } = event.detail;
  const element = ctx.sourceElement;
  const form = sends(ctx.request.method) && keyed(element);
  if (!form) return;
  refuse(event, element, ctx);
  if (event.defaultPrevented) return;
  hold(form, ctx);
  // The element may have left the document by then, so it is asked itself too.
  const end = () => free(form, ctx, rest((name) => ctx.response?.headers.get(name)));
  ends.set(ctx, end);
  element.addEventListener("htmx:finally:request", (e) => e.detail.ctx === ctx && end());
});
const ends = new WeakMap();
on("htmx:finally:request", ({ detail: { ctx } }) => ends.get(ctx)?.());

// Back to a page that was kept as it was: nothing is under way any more.
on("pageshow", ({ persisted }) => persisted && (held = new WeakMap()));

// An exception while an answer is handled (a bad HX-Retarget) leaves htmx 1.9 and 2 with disabled buttons, and 1.9
// with a request that never ends.
const disabled = () => [...document.querySelectorAll("[disabled]")];
const before = new WeakMap();
const shut = new Map(); // xhr → what htmx has disabled for it
const open = (xhr) => shut.get(xhr)?.forEach((element) => (element.disabled = false));
on("htmx:beforeRequest", ({ detail: { xhr, elt } }) => xhr && keyed(elt) && before.set(xhr, disabled()));
on("htmx:beforeSend", ({ detail: { xhr } }) => {
  if (!before.has(xhr)) return;
  shut.set(xhr, disabled().filter((element) => !before.get(xhr).includes(element)));
  xhr.addEventListener("loadend", () => setTimeout(() => shut.delete(xhr)));
});
on("htmx:onLoadError", ({ detail: { xhr, elt } }) => {
  open(xhr);
  const data = elt["htmx-internal-data"];
  if (data?.xhr === xhr) data.xhr = null;
});
// 1.9 would keep them disabled in what it stores for Back.
on("htmx:beforeHistorySave", () => [...shut.keys()].forEach(open));

// due says whether an answer with an error status is for the person at this element: a 422 to a keyed form, and
// what the guard itself answers there (503 while the first submit is running, and the like).
function due(element, status, header) {
  const own = /^(running|unknown|refused)$/.test(header("Idempotency-Status"));
  return keyed(element) ? status === 422 || (status > 399 && own) : status > 399 && own && element?.closest?.(OWN);
}

on("htmx:beforeSwap", ({ detail }) => {
  const { xhr, requestConfig } = detail;
  if (!requestConfig || !due(requestConfig.elt, xhr.status, (name) => xhr.getResponseHeader(name))) return;
  detail.shouldSwap = true;
  detail.isError = false;
});
// htmx 4 swaps errors by itself, unless the site or its compat extension said "none" to the status.
const swaps = new WeakMap();
on("htmx:before:response", ({ detail: { ctx } }) => swaps.set(ctx, ctx.swap));
on("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
  const { response } = ctx;
  if (ctx.swap !== "none" || !response || !due(ctx.sourceElement, response.status, (name) => response.headers.get(name))) return;
  for (const task of tasks) if (task.type === "main") task.swapSpec = ctx.hx?.reswap ?? swaps.get(ctx);
});

// load fetches the rest. The names are put in by build.mjs.
async function load({ src, nonce = "" } = { src: import.meta.url }) {
  const link = document.createElement("link"); // checks the integrity of what import takes
  const href = new URL(PAGE_FILE, src).href;
  document.head.append(Object.assign(link, { rel: "modulepreload", href, integrity: PAGE_INTEGRITY, crossOrigin: "anonymous", nonce }));
  const { start } = await import(href);
  return start({ wasm: new URL(WASM_FILE, src), integrity: WASM_INTEGRITY, on, keyed, free, stays, retrying });
}
const page = first && load(document.currentScript ?? undefined);
if (first) page.catch((error) => console.warn("singleshot: only the part without WebAssembly works here:", error.message));

/** The one global: see singleshot.d.ts. */
export const singleshot = (globalThis.singleshot ??= Object.freeze({
  version: VERSION,
  ready: page.then(() => true, () => false),
  state: (form) => page.then((p) => p.state(form)),
  fresh: (form) => page.then((p) => p.fresh(form)),
}));
