// page.js, the rest of the browser module. It moves facts between the document and the wasm, which decides what a
// submit is, what an answer means and what a person reads. singleshot.js starts it; a submit needs nothing of it.
import { boot, STATE, VERDICT, WORD } from "./engine.js";
import { notes } from "./notes.js";
import { elementsOf, enable, refill, remember } from "./restore.js";
import { retryFetch, retryXHR } from "./retry.js";

const KEY = "idempotency_key";
const FIELD = `input[name="${KEY}"]`;
const STORE = "singleshot"; // in this tab's storage: digests, no key and no value
const VERDICTS = Object.keys(VERDICT).map((name) => name.toLowerCase());
const MOST = 32 * 1024 * 1024; // bytes of files that are read to tell duplicates apart
const LATER = 2000; // ms from a submit after which a document belongs to another navigation
const COLLECTED = 1024 * 1024; // bytes of a body that can be in repeat mode
const VERBS = ["post", "put", "patch", "delete"];

export async function start({ wasm, integrity, on, keyed, free, stays, retrying }) {
  const engine = await boot(wasm, integrity);
  const { note, hint, clear, of } = notes(engine);

  const keyOf = (form) => form.querySelector(FIELD)?.value ?? "";
  const forms = () => [...document.forms].filter(keyed);
  const ignored = (form) => (form.getAttribute("data-singleshot-ignore") ?? "").split(/[\s,]+/).filter(Boolean);

  // placeOf is where a form goes by itself, without a button that says otherwise: what its key was made for.
  function placeOf(form) {
    const attribute = (verb) => form.getAttribute(`hx-${verb}`) ?? form.getAttribute(`data-hx-${verb}`);
    const method = VERBS.find((verb) => attribute(verb) !== null);
    let { pathname } = location;
    try {
      pathname = new URL((method ? attribute(method) : form.getAttribute("action")) || location, document.baseURI).pathname;
    } catch {} // no address: nothing goes there
    const override = elementsOf(form).find((e) => e.name === "_method" && !e.matches(":disabled,button,[type=submit],[type=image]"));
    return { key: keyOf(form), method: method ?? "post", path: pathname, override: override?.value ?? "" };
  }
  const stateOf = (form) => engine.state(placeOf(form));

  // check says at a form what this tab knows of a submit of it.
  function check(form) {
    const state = stateOf(form);
    if (state) note(form, STATE[state] === "spent" ? WORD.SPENT : WORD.SENT, { offer: true });
    else clear(form);
  }

  // What this tab knows outlives the document.
  let posted = "", left = 0; // where the page went away to, and when
  function save() {
    try {
      sessionStorage.setItem(STORE, `${engine.save()} ${posted} ${left}`);
    } catch {} // storage is off or full: the tab forgets with the document
  }
  function land(traversed) {
    try {
      const [stored, path = "", since] = (sessionStorage.getItem(STORE) ?? "").split(" ");
      engine.load(stored);
      posted = path;
      left = Number(since);
    } catch {} // as above
    const [entry] = performance.getEntriesByType("navigation");
    // The page had stayed (a download) where this document was asked for later.
    const other = traversed || entry?.type !== "navigate" || performance.timeOrigin - left > LATER;
    engine.land({
      status: entry?.responseStatus ?? 0, place: location.pathname + location.search, path: posted, followed: entry?.redirectCount,
      invalid: document.querySelector('[aria-invalid="true"]'), traversed: other,
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

  // weigh says whether a body is too large for repeat mode, as far as that can be known before it is written out.
  function weigh(entries) {
    const files = entries.reduce((n, [, value]) => n + (value.size ?? 0), 0);
    const letters = entries.reduce((n, [name, value]) => n + name.length + (value.length ?? 0), 0);
    const large = files + letters > COLLECTED;
    return { files, large, unsure: !large && files + 9 * letters + 400 * entries.length > COLLECTED };
  }

  // depart tells of a submit on its way out, with the body that goes: null where nobody can read it; seen where its
  // looks have been told. Files are read beside the request, which waits for nothing. Of its headers some decide how
  // the guard takes it.
  function depart(form, method, url, body, { seen, headers } = {}) {
    clearTimeout(typing); // what a submit is it says itself
    let entries = body && [...(typeof body === "string" ? new URLSearchParams(body) : body)];
    const first = (field) => entries?.find(([name]) => name === field)?.[1];
    const header = (name) => Object.entries(headers ?? {}).find(([n]) => n.toLowerCase() === name)?.[1];
    const own = placeOf(form);
    const to = {
      key: first(KEY) || own.key, method, path: url.pathname,
      override: String((entries ? first("_method") : own.override) || header("x-http-method-override") || ""),
    };
    const script = headers && header("hx-request") !== "true" && isSecureContext; // elsewhere browsers do not tell who asks
    const { files: size, ...weight } = weigh(entries ?? []);
    const files = entries?.filter(([, value]) => typeof value !== "string") ?? [];
    if (size > MOST) entries = null;
    const tell = (entries, again) => {
      if (!seen) looks(form);
      if (entries) engine.form(0, method, url, ignored(form), entries);
      const fingerprint = entries ? engine.sum() : "";
      const { verdict, press, word, repeat } = engine.submit(to, { again, script, ...weight });
      to.repeat = repeat;
      form.dispatchEvent(new CustomEvent("singleshot:submit", { bubbles: true, detail: { verdict: VERDICTS[verdict], fingerprint } }));
      if (word !== WORD.NONE) note(form, word, { offer: true });
      save();
      return press;
    };
    const press = tell(files.length ? null : entries);
    if (files.length && entries) {
      const read = entries.map(async ([name, value]) =>
        [name, typeof value === "string" ? value : { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) }]);
      Promise.all(read).then((entries) => tell(entries, true)).catch(() => {}); // a file that is gone: nothing is known
    }
    return { to, press };
  }

  // A fresh start: another key, the same values.
  async function fresh(form, field) {
    const mode = /^repeat$/i.test(form.getAttribute("data-idempotency")) ? "&mode=repeat" : "";
    const { method, path } = placeOf(form);
    const asked = `/_singleshot/key?action=${encodeURIComponent(path)}&method=${method}${mode}`;
    const answer = await fetch(asked, { headers: { Accept: "application/json" } });
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
      if (focused) elementsOf(form).find((e) => e.name && !e.disabled && e.type !== "hidden")?.focus();
    } catch (error) {
      console.warn(error.message);
      note(form, WORD.FAILED);
    }
  }
  on("click", ({ target }) => target.closest?.("[data-singleshot=fresh]") && restart(target.closest("form")));
  on("reset", ({ target }) => keyed(target) && setTimeout(() => check(target)));

  // rekey gives a form whose content was swapped, and its key with it, a key again: the same while it is live.
  function rekey({ form, to }) {
    if (!form.isConnected || form.querySelector(FIELD)) return;
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: KEY, value: to.key, autocomplete: "off" });
    form.prepend(field);
    if (engine.state(to)) fresh(form, field).catch((error) => console.warn(error.message));
  }

  // The guard's refusal of what a form held has a form of its own, with a fresh key: submit as a new entry. Once that
  // has gone through, the form that was refused goes on with its key, so that pressed again it gets that answer.
  const ways = new Map(); // key of a form → the key in the notice that it has brought
  function refused({ key }, html) {
    const [, way] = /name="idempotency_key" value="([\w-]+)"/.exec(html) ?? []; // as core writes it; a parser would need a policy
    if (way) ways.set(key, way);
  }
  function entered(to) {
    for (const [key, way] of ways) {
      if (way !== to.key) continue;
      ways.delete(key);
      for (const form of forms()) {
        if (keyOf(form) !== key) continue; // it has another by now
        looks(form);
        if (!engine.adopt(key, to)) continue;
        for (const field of form.querySelectorAll(FIELD)) field.value = to.key;
        clear(form);
        reconsider(form);
      }
    }
  }

  // While somebody types into a form that went through: would it be the same?
  function reconsider(form) {
    looks(form);
    const word = engine.edit(placeOf(form));
    if (word === WORD.CHANGED) note(form, word, { offer: true });
    else if (word !== WORD.NONE && of(form)) check(form);
  }
  let typing;
  on("input", ({ target: { form } }) => {
    if (!form || !keyed(form) || !stateOf(form)) return;
    clearTimeout(typing);
    typing = setTimeout(reconsider, 150, form);
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
  on("submit", (event) => {
    const { target: form, submitter, defaultPrevented } = event;
    const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
    leaving = !defaultPrevented && /^post$/i.test(method) && keyed(form) ? { form, submitter, event } : null;
    if (leaving) looks(form); // the browser's own entries cannot be asked for these
    setTimeout(() => (leaving = null));
  });
  on("formdata", ({ target: form, formData }) => {
    if (looking || leaving?.form !== form) return;
    const { submitter, event } = leaving;
    if (event.defaultPrevented) return; // by a listener that came later, and asks for the entries itself
    leaving = null;
    const own = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
    const url = new URL(own("action") || location.href, document.baseURI);
    const utf8 = /^utf-8$/i.test(form.acceptCharset || document.characterSet);
    const multipart = /^multipart\/form-data$/i.test(own("enctype"));
    const sent = multipart ? formData : [...formData].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
    const away = stays(submitter?.getAttribute("formtarget") ?? form.getAttribute("target"));
    if (away) [posted, left] = [url.pathname, Date.now()];
    engine.leave(depart(form, "POST", url, utf8 ? sent : null, { seen: true }).to, away);
    save();
  });

  // Answers that a script sees. A request is an xhr (htmx 1.9, 2) or a ctx (4).
  const sent = new WeakMap(); // request → its form, place and address
  const todo = new WeakMap(); // request, then task of htmx 4 → what its answer asks for
  function arrived(request, status, header, url, style) {
    const { form, to, url: asked } = sent.get(request);
    const word = header("Idempotency-Status") ?? "";
    const followed = url && url !== asked.href.split("#")[0];
    const place = followed ? url.slice(new URL(url).origin.length) : (header("HX-Redirect") ?? header("HX-Location") ?? "");
    const act = engine.answer({
      to, status, word, place, followed,
      replayed: header("Idempotency-Replayed") === "true", appends: /^(before|after)/.test(style),
      attachment: /^\s*attachment/i.test(header("Content-Disposition") ?? ""),
    });
    save();
    clear(form);
    if (act.spent && word !== "mismatch") entered(to);
    todo.set(request, { ...act, form, to, refused: word === "mismatch" });
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
        const { to, press } = depart(form, config.verb, url, urlencoded || body instanceof FormData ? body : null, config);
        sent.set(xhr, { form, to, url });
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
    if (todo.get(xhr).refused) refused(sent.get(xhr).to, xhr.responseText);
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
    rekey(act);
    if (act.hint) hint(act.form, element);
  });

  // htmx 4.
  on("htmx:before:request", ({ detail: { ctx }, defaultPrevented }) => {
    const form = !defaultPrevented && sends(ctx.request.method) && keyed(ctx.sourceElement);
    if (!form) return;
    const { action, method, body, headers } = ctx.request;
    const url = new URL(action, document.baseURI);
    const { to, press } = depart(form, method, url, typeof body === "string" ? null : body, { headers });
    sent.set(ctx, { form, to, url });
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
    if (act?.refused) refused(act.to, ctx.text);
    const main = act && tasks.find((task) => task.type === "main");
    if (act?.skip) hint(act.form);
    if (main && act.skip) main.swapSpec = { ...main.swapSpec, style: "none" };
    else if (main) todo.set(main, act);
  });
  on("htmx:before:settle", ({ detail: { task } }) => {
    const act = todo.get(task);
    if (!act) return;
    rekey(act);
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
