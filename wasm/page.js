// page.js, the rest of the browser module. It moves facts between the document and the wasm, which decides what a
// submit is, what an answer means and what a person reads. singleshot.js starts it; a submit needs nothing of it.
import { boot, STATE, VERDICT, WORD } from "./engine.js";
import { notes } from "./notes.js";
import { enable, refill, remember } from "./restore.js";
import { retryFetch, retryXHR } from "./retry.js";

const KEY = "idempotency_key";
const FIELD = `input[name="${KEY}"]`;
const STORE = "singleshot"; // in this tab's storage: digests, no key and no value
const VERDICTS = Object.keys(VERDICT).map((name) => name.toLowerCase());
const MOST = 32 * 1024 * 1024; // bytes of files that are read to tell duplicates apart

export async function start({ wasm, integrity, on, keyed, free, stays, retrying }) {
  const engine = await boot(wasm, integrity);
  const { note, hint, clear, of } = notes(engine);

  const keyOf = (form) => form.querySelector(FIELD)?.value ?? "";
  const stateOf = (form) => engine.state(keyOf(form));
  const forms = () => [...document.forms].filter(keyed);
  const ignored = (form) => (form.dataset.singleshotIgnore ?? "").split(/[\s,]+/).filter(Boolean);

  // check says at a form what this tab knows of its key.
  function check(form) {
    const state = stateOf(form);
    if (state) note(form, STATE[state] === "spent" ? WORD.SPENT : WORD.SENT, { offer: true });
    else clear(form);
  }

  // What this tab knows outlives the document.
  let posted = "";
  function save() {
    try {
      sessionStorage.setItem(STORE, `${engine.save()} ${posted}`);
    } catch {} // storage is off or full: the tab forgets with the document
  }
  function land(traversed) {
    try {
      const [stored, path = ""] = (sessionStorage.getItem(STORE) ?? "").split(" ");
      engine.load(stored);
      posted = path;
    } catch {} // as above
    const [entry] = performance.getEntriesByType("navigation");
    engine.land({
      status: entry?.responseStatus ?? 0, place: location.pathname + location.search, path: posted, followed: entry?.redirectCount,
      invalid: document.querySelector('[aria-invalid="true"]'), traversed: traversed || entry?.type !== "navigate",
    });
    posted = "";
    save();
  }

  // looks is the form as it stands, without its button; of files what is known without reading them.
  let looking = false; // a FormData tells the page of itself, and this one is nobody's submit
  function looks(form) {
    looking = true;
    const entries = [...new FormData(form)].map(([name, value]) =>
      [name, typeof value === "string" ? value : [value.name, value.size, value.lastModified].join("/")]);
    looking = false;
    engine.form(1, "POST", location, ignored(form), entries);
  }

  // depart tells of a submit on its way out, with the body that goes: null where nobody can read it; seen where its
  // looks have been told. Files are read beside the request, which waits for nothing.
  function depart(form, method, url, body, seen) {
    let entries = body && [...(typeof body === "string" ? new URLSearchParams(body) : body)];
    const key = entries?.find(([name]) => name === KEY)?.[1] || keyOf(form);
    const files = entries?.filter(([, value]) => typeof value !== "string") ?? [];
    if (files.reduce((n, [, file]) => n + file.size, 0) > MOST) entries = null;
    const tell = (entries, again) => {
      if (!seen) looks(form);
      if (entries) engine.form(0, method, url, ignored(form), entries);
      const fingerprint = entries ? engine.sum() : "";
      const { verdict, press } = engine.submit(key, again);
      form.dispatchEvent(new CustomEvent("singleshot:submit", { bubbles: true, detail: { verdict: VERDICTS[verdict], fingerprint } }));
      if (verdict === VERDICT.DUPLICATE) note(form, WORD.DUPLICATE, { offer: true });
      if (verdict === VERDICT.CHANGED) note(form, WORD.CHANGED, { offer: true });
      save();
      return press;
    };
    const press = tell(files.length ? null : entries);
    if (files.length && entries) {
      const read = entries.map(async ([name, value]) =>
        [name, typeof value === "string" ? value : { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) }]);
      Promise.all(read).then((entries) => tell(entries, true)).catch(() => {}); // a file that is gone: nothing is known
    }
    return { key, press };
  }

  // A fresh start: another key, the same values.
  async function fresh(form, field) {
    const action = form.getAttribute("hx-post") ?? form.getAttribute("data-hx-post") ?? form.getAttribute("action") ?? "";
    const { pathname } = new URL(action, document.baseURI);
    const answer = await fetch(`/_singleshot/key?action=${encodeURIComponent(pathname)}`, { headers: { Accept: "application/json" } });
    const { key } = await answer.json();
    if (!key) throw new Error(`singleshot: no key, status ${answer.status}`);
    for (const each of field ? [field] : form.querySelectorAll(FIELD)) each.value = key;
    return key;
  }
  async function restart(form) {
    try {
      await fresh(form);
      const focused = of(form)?.contains(document.activeElement);
      note(form, WORD.STARTED);
      if (focused) [...form.elements].find((e) => e.name && !e.disabled && e.type !== "hidden")?.focus();
    } catch (error) {
      console.warn(error.message);
      note(form, WORD.FAILED);
    }
  }
  on("click", ({ target }) => target.closest?.("[data-singleshot=fresh]") && restart(target.closest("form")));
  on("reset", ({ target }) => keyed(target) && setTimeout(() => check(target)));

  // rekey gives a form whose content was swapped, and its key with it, a key again: the same while it is live.
  function rekey(form, key) {
    if (!form.isConnected || form.querySelector(FIELD)) return;
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: KEY, value: key, autocomplete: "off" });
    form.prepend(field);
    if (engine.state(key)) fresh(form, field).catch((error) => console.warn(error.message));
  }

  // While somebody types into a form that went through: would it be the same?
  let typing;
  on("input", ({ target: { form } }) => {
    if (!form || !keyed(form) || !stateOf(form)) return;
    clearTimeout(typing);
    typing = setTimeout(() => {
      looks(form);
      const verdict = engine.edit(keyOf(form));
      if (verdict === VERDICT.CHANGED) note(form, WORD.CHANGED, { offer: true });
      else if (verdict === VERDICT.DUPLICATE && of(form)) check(form);
    }, 150);
  });

  // What the person did last, for the trail.
  let hand = "";
  on("click", (event) => event.isTrusted && event.detail > 0 && (hand = "click"), true);
  on("keydown", (event) => event.isTrusted && (event.key === "Enter" || event.key === " ") && (hand = "enter"), true);
  function client(press) {
    const trigger = hand || (press > 1 ? "replay" : "");
    hand = "";
    return engine.client(press, trigger);
  }

  // Plain forms. Right after the submit event the browser tells the entries, the button among them.
  let leaving;
  on("submit", ({ target: form, submitter, defaultPrevented }) => {
    const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
    leaving = !defaultPrevented && /^post$/i.test(method) && keyed(form) ? { form, submitter } : null;
    if (leaving) looks(form); // the browser's own entries cannot be asked for these
    setTimeout(() => (leaving = null));
  });
  on("formdata", ({ target: form, formData }) => {
    if (looking || leaving?.form !== form) return;
    const { submitter } = leaving;
    leaving = null;
    const own = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
    const url = new URL(own("action") || location.href, document.baseURI);
    const utf8 = /^utf-8$/i.test(form.acceptCharset || document.characterSet);
    const multipart = /^multipart\/form-data$/i.test(own("enctype"));
    const sent = multipart ? formData : [...formData].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
    const away = stays(submitter?.getAttribute("formtarget") ?? form.getAttribute("target"));
    if (away) posted = url.pathname;
    engine.leave(depart(form, "POST", url, utf8 ? sent : null, true).key, away);
    save();
  });

  // Answers that a script sees. A request is an xhr (htmx 1.9, 2) or a ctx (4).
  const sent = new WeakMap(); // request → its form, key and place
  const todo = new WeakMap(); // request, then task of htmx 4 → what its answer asks for
  function arrived(request, status, header, url, style) {
    const { form, key, url: asked } = sent.get(request);
    const followed = url && url !== asked.href.split("#")[0];
    const place = followed ? url.slice(new URL(url).origin.length) : (header("HX-Redirect") ?? header("HX-Location") ?? "");
    const act = engine.answer({
      key, status, word: header("Idempotency-Status") ?? "", place, path: asked.pathname, followed,
      replayed: header("Idempotency-Replayed") === "true", appends: /^(before|after)/.test(style),
    });
    save();
    clear(form);
    todo.set(request, { ...act, form, key });
  }

  // htmx 1.9 and 2.
  const sends = (verb) => !/^get$/i.test(verb);
  on("htmx:beforeSend", ({ detail: { xhr, elt: element, requestConfig: config, pathInfo } }) => {
    const form = xhr && sends(config.verb) && keyed(element);
    if (!form) return;
    const url = new URL(pathInfo.finalRequestPath, document.baseURI);
    xhr.send = (body) => {
      try {
        const urlencoded = /^application\/x-www-form-urlencoded/i.test(config.headers["Content-Type"] ?? "");
        const { key, press } = depart(form, config.verb, url, urlencoded || body instanceof FormData ? body : null);
        sent.set(xhr, { form, key, url });
        xhr.setRequestHeader("Idempotency-Client", client(press));
        const again = () => xhr.setRequestHeader("Idempotency-Client", engine.client(press, "retry"));
        retryXHR(xhr, { form, element, config, url, body, again, retrying, free });
      } catch (error) {
        console.warn(error.message); // a submit goes out whatever happens here
      }
      XMLHttpRequest.prototype.send.call(xhr, body);
    };
  });
  on("htmx:beforeOnLoad", ({ detail: { xhr, elt } }) => {
    if (!xhr || !sent.has(xhr)) return;
    const header = (name) => xhr.getResponseHeader(name);
    const styled = elt.closest("[hx-swap],[data-hx-swap]");
    const style = header("HX-Reswap") ?? styled?.getAttribute("hx-swap") ?? styled?.getAttribute("data-hx-swap");
    arrived(xhr, xhr.status, header, xhr.responseURL, style);
  });
  let outOfBand = new Set();
  on("htmx:beforeSwap", ({ detail }) => {
    outOfBand = new Set();
    const act = detail.xhr && todo.get(detail.xhr);
    if (!act?.skip) return;
    detail.shouldSwap = false;
    hint(act.form);
  });
  on("htmx:oobAfterSwap", ({ detail: { target } }) => target?.id && outOfBand.add(target.id));
  on("htmx:afterSwap", ({ target: element, detail: { xhr, target } }) => {
    const act = xhr && todo.get(xhr);
    if (!act || (element !== target && (target.isConnected || outOfBand.has(element.id)))) return;
    todo.delete(xhr);
    rekey(act.form, act.key);
    if (act.hint) hint(act.form, element);
  });

  // htmx 4.
  on("htmx:before:request", ({ detail: { ctx }, defaultPrevented }) => {
    const form = !defaultPrevented && sends(ctx.request.method) && keyed(ctx.sourceElement);
    if (!form) return;
    const { action, method, body, headers } = ctx.request;
    const url = new URL(action, document.baseURI);
    const { key, press } = depart(form, method, url, typeof body === "string" ? null : body);
    sent.set(ctx, { form, key, url });
    headers["Idempotency-Client"] = client(press);
    retryFetch(ctx, { form, again: (headers) => (headers["Idempotency-Client"] = engine.client(press, "retry")) });
  });
  on("htmx:before:response", ({ detail: { ctx } }) => {
    if (!sent.has(ctx)) return;
    const { status, headers, raw } = ctx.response;
    arrived(ctx, status, (name) => headers.get(name), raw.url, ctx.hx?.reswap ?? ctx.swap);
  });
  on("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
    const act = todo.get(ctx);
    const main = act && tasks.find((task) => task.type === "main");
    if (act?.skip) hint(act.form);
    if (main && act.skip) main.swapSpec = { ...main.swapSpec, style: "none" };
    else if (main) todo.set(main, act);
  });
  on("htmx:before:settle", ({ detail: { task } }) => {
    const act = todo.get(task);
    if (!act) return;
    rekey(act.form, act.key);
    if (act.hint) hint(act.form, task.target);
  });

  // Back and forward.
  on("htmx:beforeHistorySave", () => forms().forEach((form) => (clear(form), remember(form, keyOf(form)))));
  function restored() {
    enable();
    for (const form of forms()) {
      clear(form);
      refill(form, keyOf(form));
      check(form);
    }
  }
  on("htmx:historyRestore", restored);
  on("htmx:history:cache:after:restore", restored);
  on("pageshow", ({ persisted }) => persisted && (land(true), forms().forEach(check)));

  land(false);
  forms().forEach(check);
  return { state: (form) => STATE[stateOf(form)], fresh: async (form) => { const key = await fresh(form); clear(form); return key; } };
}
