// page.js, the rest of the browser module. It moves facts between the document and the wasm, which decides (main.go
// and page/): what a submit is, what an answer means, what a person reads. singleshot.js starts it, without which
// nothing here is needed for a submit to go out.

const KEY = "idempotency_key";
const FIELD = `input[name="${KEY}"]`;
const STORE = "singleshot"; // in this tab's storage: digests, no key and no value
const PIECE = 64 * 1024; // pieceSize of main.go
const MOST = 32 * 1024 * 1024; // bytes of files that are read to tell duplicates apart
const [HINT, SPENT, SENT, DUPLICATE, CHANGED, FRESH, STARTED, FAILED] = Array(8).keys(); // page.Word
const STATES = ["live", "sent", "spent"]; // page.State
const NO_ROOM = "table,thead,tbody,tfoot,tr,ul,ol,dl,menu,select,datalist,p,span,a,button,h1,h2,h3,h4,h5,h6,pre,input,textarea,img";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export async function start({ wasm, integrity, on, keyed, free, retrying }) {
  // The wasm asks its system for nothing that matters. 8 says to standard Go's that there are no files.
  const system = new Proxy({}, { get: (_, name) => () => (name === "fd_prestat_get" ? 8 : 0) });
  const { instance } = await WebAssembly.instantiateStreaming(fetch(wasm, { integrity }), { wasi_snapshot_preview1: system });
  const x = instance.exports;
  x._initialize();
  const at = x.buffer();

  // put writes texts into the input, one after the other, and returns where each ends.
  function put(...texts) {
    let end = 0;
    return texts.map((text) => {
      const { read, written } = encoder.encodeInto(text, new Uint8Array(x.memory.buffer, at + end, PIECE - end));
      if (read < text.length) throw new RangeError("singleshot: a name is too long");
      return (end += written);
    });
  }
  const lines = (...parts) => put(parts.join("\n"))[0];
  const bytes = (from) => new Uint8Array(x.memory.buffer.slice(from + 4, from + 4 + new DataView(x.memory.buffer).getUint32(from, true)));
  const say = (word, element) => decoder.decode(bytes(x.say(word, ...put(element.closest("[lang]")?.lang ?? ""))));

  // describe tells the wasm what a form holds: entries as a FormData has them, files read.
  function describe(which, form, method, url, entries) {
    try {
      const ignored = (form.dataset.singleshotIgnore ?? "").split(/[\s,]+/).filter(Boolean);
      x.open(lines(method.toUpperCase(), url.pathname, url.search.slice(1), ...ignored));
      for (const [name, value] of entries) {
        if (typeof value === "string") {
          x.field(...put(name));
          for (let rest = value, read, written; rest; rest = rest.slice(read)) {
            ({ read, written } = encoder.encodeInto(rest, new Uint8Array(x.memory.buffer, at, PIECE)));
            x.piece(written);
          }
        } else {
          x.file(...put(name, value.name));
          for (let i = 0; i < value.bytes.length; i += PIECE) {
            const piece = value.bytes.subarray(i, i + PIECE);
            new Uint8Array(x.memory.buffer, at).set(piece);
            x.piece(piece.length);
          }
        }
        x.end();
      }
      x.close(which);
      return true;
    } catch (error) {
      console.warn(error.message);
      return false;
    }
  }

  // looks is the form as it stands, without its button; of files what the browser knows without reading them.
  let looking = false; // a FormData tells the page of itself, and this one is nobody's submit
  function looks(form) {
    looking = true;
    const entries = [...new FormData(form)].map(([name, value]) =>
      [name, typeof value === "string" ? value : [value.name, value.size, value.lastModified].join("/")]);
    looking = false;
    return describe(1, form, "POST", location, entries);
  }

  const keyOf = (form) => form.querySelector(FIELD)?.value ?? "";

  // going tells of a submit on its way out. Its entries are null where nobody can read the body.
  function going(form, key, method, url, entries, again = 0) {
    looks(form);
    if (entries) describe(0, form, method, url, entries);
    const verdict = x.submit(...put(key), again);
    if ((verdict & 255) === 1 || (verdict & 255) === 2) note(form, (verdict & 255) === 1 ? DUPLICATE : CHANGED, true);
    return verdict >> 8;
  }

  // depart is going for a body of any kind. Files are read beside the request, which waits for nothing.
  function depart(form, method, url, body) {
    let entries = null;
    if (typeof body === "string") entries = [...new URLSearchParams(body)];
    else if (body instanceof FormData || body instanceof URLSearchParams) entries = [...body];
    const key = entries?.find(([name]) => name === KEY)?.[1] || keyOf(form);
    const files = entries?.filter(([, value]) => typeof value !== "string") ?? [];
    if (files.reduce((n, [, file]) => n + file.size, 0) > MOST) entries = null;
    const press = going(form, key, method, url, files.length ? null : entries);
    if (files.length && entries) {
      Promise.all(entries.map(async ([name, value]) =>
        typeof value === "string" ? [name, value] : [name, { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) }]))
        .then((read) => (going(form, key, method, url, read, 1), save()), () => {});
    }
    save();
    return { key, press };
  }

  // What this tab knows outlives the document.
  let posted = "";
  function save() {
    try {
      sessionStorage.setItem(STORE, `${btoa(String.fromCharCode(...bytes(x.save())))} ${posted}`);
    } catch {} // storage is off or full: the tab forgets with the document
  }
  function recall() {
    try {
      const [text, path = ""] = (sessionStorage.getItem(STORE) ?? "").split(" ");
      const stored = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      new Uint8Array(x.memory.buffer, at).set(stored);
      x.load(stored.length);
      posted = path;
    } catch {} // as above
  }
  function land(traversed) {
    recall();
    const [entry] = performance.getEntriesByType("navigation");
    const place = location.pathname + location.search;
    const invalid = document.querySelector('[aria-invalid="true"]');
    x.land(lines(entry?.responseStatus ?? 0, place, posted), (entry?.redirectCount ? 1 : 0) | (invalid ? 2 : 0) | (traversed || entry?.type !== "navigate" ? 4 : 0));
    posted = "";
    save();
  }

  // The note at the end of a form: what is known of its key, and the way on. Its text comes a turn after it: a
  // live region that is born with its text is not read.
  function note(form, word, offer) {
    const old = form.querySelector("[data-singleshot=note]");
    if (old?.dataset.word === String(word)) return;
    const p = old ?? document.createElement("p");
    Object.assign(p.dataset, { singleshot: "note", word });
    p.className = "hc-field__hint";
    p.setAttribute("role", "status");
    if (!old) form.append(p);
    setTimeout(() => {
      if (p.dataset.word !== String(word)) return;
      p.textContent = say(word, form);
      if (!offer) return;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "hc-button", textContent: say(FRESH, form) });
      button.dataset.singleshot = "fresh";
      button.dataset.variant = "secondary";
      p.append(" ", button);
    });
  }
  const unnote = (form) => form.querySelector("[data-singleshot=note]")?.remove();
  const stateOf = (form) => x.state(...put(keyOf(form)));
  function check(form) {
    const state = stateOf(form);
    if (state) note(form, state === 2 ? SPENT : SENT, true);
    else unnote(form);
  }
  const forms = () => [...document.forms].filter(keyed);

  // A fresh start: another key, the same values.
  async function fresh(form) {
    try {
      const action = form.getAttribute("hx-post") ?? form.getAttribute("data-hx-post") ?? form.getAttribute("action") ?? "";
      const path = new URL(action, document.baseURI).pathname;
      const answer = await fetch(`/_singleshot/key?action=${encodeURIComponent(path)}`, { headers: { Accept: "application/json" } });
      const { key } = await answer.json();
      if (!key) throw new Error(`singleshot: no key, status ${answer.status}`);
      for (const field of form.querySelectorAll(FIELD)) field.value = key;
      const focused = form.querySelector("[data-singleshot=note]")?.contains(document.activeElement);
      note(form, STARTED);
      if (focused) [...form.elements].find((e) => !e.disabled && e.type !== "hidden" && e.dataset.singleshot !== "fresh" && e.tagName !== "FIELDSET")?.focus();
      return key;
    } catch (error) {
      note(form, FAILED);
      throw error;
    }
  }
  on("click", ({ target }) => target.closest?.("[data-singleshot=fresh]") && fresh(target.form).catch((error) => console.warn(error.message)));
  on("reset", ({ target }) => keyed(target) && setTimeout(() => check(target)));

  // While somebody types into a form that went through: would it be the same?
  let typing;
  on("input", ({ target }) => {
    const form = target.form;
    if (!form || !keyed(form) || !stateOf(form)) return;
    clearTimeout(typing);
    typing = setTimeout(() => {
      const verdict = looks(form) ? x.edit(...put(keyOf(form))) : 0;
      if (verdict === 2) note(form, CHANGED, true);
      else if (verdict === 1 && form.querySelector("[data-singleshot=note]")) check(form);
    }, 150);
  });

  // What the person did last, for the trail.
  let hand = "";
  on("click", (event) => event.isTrusted && event.detail > 0 && (hand = "click"), true);
  on("keydown", (event) => event.isTrusted && (event.key === "Enter" || event.key === " ") && (hand = "enter"), true);
  function client(press, trigger = hand || (press > 1 ? "replay" : "")) {
    if (trigger === hand) hand = "";
    return decoder.decode(bytes(x.client(press, ...put(trigger))));
  }

  // Plain forms. The browser tells the entries, the button among them, right after the submit event.
  let leaving;
  on("submit", (event) => {
    const { target: form, submitter, defaultPrevented } = event;
    const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method") ?? "get";
    leaving = !defaultPrevented && keyed(form) && /^post$/i.test(method) ? { form, submitter } : undefined;
    setTimeout(() => (leaving = undefined));
  });
  on("formdata", ({ target: form, formData }) => {
    if (looking || leaving?.form !== form) return;
    const { submitter } = leaving;
    leaving = undefined;
    const url = new URL(submitter?.hasAttribute("formaction") ? submitter.formAction : form.getAttribute("action") || location.href, document.baseURI);
    const multipart = (submitter?.hasAttribute("formenctype") ? submitter.formEnctype : form.enctype) === "multipart/form-data";
    const utf8 = /^utf-8$/i.test(form.acceptCharset || document.characterSet);
    let body = formData;
    if (!multipart) body = new URLSearchParams([...formData].map(([name, value]) => [name, typeof value === "string" ? value : value.name]));
    posted = url.pathname;
    const { key } = depart(form, "POST", url, utf8 ? body : null);
    x.leave(...put(key));
    save();
  });

  // Answers that a script sees.
  const sent = new WeakMap(); // xhr or ctx → its form and key
  const todo = new WeakMap(); // xhr, ctx or task → what its answer asks for
  function arrived(by, url, { status, header, followed, style }) {
    const { form, key, path } = sent.get(by);
    const place = followed ? new URL(url).pathname + new URL(url).search : (header("HX-Redirect") ?? header("HX-Location") ?? "");
    const flags = (header("Idempotency-Replayed") === "true" ? 1 : 0) | (followed ? 2 : 0) | (/^(before|after)/.test(style) ? 4 : 0);
    const bits = x.answer(lines(key, status, header("Idempotency-Status") ?? "", place, path), flags);
    save();
    unnote(form);
    todo.set(by, { form, hint: bits & 2, skip: bits & 4 });
  }
  // hint puts its line into what was swapped, or into the form's note where there is no place for a line.
  function hint(form, target) {
    const own = form.closest("[data-singleshot-hint]")?.dataset.singleshotHint ?? target?.closest?.("[data-singleshot-hint]")?.dataset.singleshotHint;
    if (own === "off") return;
    const box = target?.isConnected && (target.querySelector(".hc-card") ?? target);
    if (!box || box.matches(NO_ROOM)) return form.isConnected && note(form, HINT);
    for (const old of target.querySelectorAll("[data-singleshot=hint]")) old.remove();
    const p = document.createElement("p");
    Object.assign(p, { className: "hc-field__hint", textContent: own || say(HINT, target) });
    p.dataset.singleshot = "hint";
    box.append(p);
  }

  // htmx 1.9 and 2.
  const styleOf = (element) => {
    const e = element.closest("[hx-swap],[data-hx-swap]");
    return e?.getAttribute("hx-swap") ?? e?.getAttribute("data-hx-swap") ?? "";
  };
  on("htmx:beforeSend", ({ detail: { xhr, elt, requestConfig, pathInfo } }) => {
    const form = xhr && !/^get$/i.test(requestConfig.verb) && keyed(elt);
    if (!form) return;
    const url = new URL(pathInfo.finalRequestPath, document.baseURI);
    const { send } = xhr;
    let body, press;
    xhr.send = (data) => {
      body = data;
      const urlencoded = data instanceof FormData || /^application\/x-www-form-urlencoded/i.test(requestConfig.headers["Content-Type"] ?? "");
      try {
        const gone = depart(form, requestConfig.verb, url, urlencoded ? data : null);
        press = gone.press;
        sent.set(xhr, { form, key: gone.key, path: url.pathname, url });
        xhr.setRequestHeader("Idempotency-Client", client(press));
      } catch (error) {
        console.warn(error.message); // a submit goes out whatever happens here
      }
      send.call(xhr, data);
    };
    let left = retries(form);
    for (const name of ["onerror", "ontimeout"]) {
      const fail = xhr[name];
      xhr[name] = (event) => {
        if (left < 1) return fail.call(xhr, event);
        retrying.add(xhr);
        pause(retries(form) - left--, elt).then(() => {
          xhr.open(requestConfig.verb.toUpperCase(), url, true);
          for (const [header, value] of Object.entries(requestConfig.headers)) if (value !== null) xhr.setRequestHeader(header, value);
          xhr.setRequestHeader("Idempotency-Client", client(press, "retry"));
          send.call(xhr, body);
        }).catch(() => (free(form, xhr), fail.call(xhr, event))).finally(() => retrying.delete(xhr));
      };
    }
  });
  on("htmx:beforeOnLoad", ({ detail: { xhr, elt } }) => {
    if (!xhr || !sent.has(xhr)) return;
    const header = (name) => xhr.getResponseHeader(name);
    const { url } = sent.get(xhr);
    const followed = xhr.responseURL && xhr.responseURL !== url.href.split("#")[0];
    arrived(xhr, xhr.responseURL || url.href, { status: xhr.status, header, followed, style: header("HX-Reswap") ?? styleOf(elt) });
  });
  let outOfBand = new Set();
  on("htmx:beforeSwap", ({ detail }) => {
    outOfBand = new Set();
    const act = detail.xhr && todo.get(detail.xhr);
    if (!act?.skip) return;
    detail.shouldSwap = false;
    todo.delete(detail.xhr);
    hint(act.form);
  });
  on("htmx:oobAfterSwap", ({ detail: { target } }) => target?.id && outOfBand.add(target.id));
  on("htmx:afterSwap", ({ target: element, detail: { xhr, target } }) => {
    const act = xhr && todo.get(xhr);
    if (!act?.hint || (element !== target && (target.isConnected || outOfBand.has(element.id)))) return;
    todo.delete(xhr);
    hint(act.form, element);
  });

  // htmx 4.
  on("htmx:before:request", ({ detail: { ctx }, defaultPrevented }) => {
    const form = !/^get$/i.test(ctx.request.method) && keyed(ctx.sourceElement);
    if (!form || defaultPrevented) return;
    const url = new URL(ctx.request.action, document.baseURI);
    const { key, press } = depart(form, ctx.request.method, url, typeof ctx.request.body === "string" ? null : ctx.request.body);
    sent.set(ctx, { form, key, path: url.pathname });
    ctx.request.headers["Idempotency-Client"] = client(press);
    const go = ctx.fetch;
    const most = retries(form);
    if (most) ctx.fetch = async (action, init) => {
      for (let n = 0; ; n++) {
        try {
          return await go(action, init);
        } catch (error) {
          if (n >= most || init.signal?.aborted) throw error;
          await pause(n, ctx.sourceElement, init.signal).catch(() => Promise.reject(error));
          init.headers["Idempotency-Client"] = client(press, "retry");
        }
      }
    };
  });
  on("htmx:before:response", ({ detail: { ctx } }) => {
    if (!sent.has(ctx)) return;
    const { status, headers, raw } = ctx.response;
    arrived(ctx, raw.url, { status, header: (name) => headers.get(name), followed: raw.redirected, style: ctx.hx?.reswap ?? ctx.swap ?? "" });
  });
  on("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
    const act = todo.get(ctx);
    if (!act) return;
    const main = tasks.find((task) => task.type === "main");
    if (act.skip && main) main.swapSpec = { ...main.swapSpec, style: "none" };
    if (act.skip) hint(act.form);
    else if (act.hint && main) todo.set(main, act);
  });
  on("htmx:before:settle", ({ detail: { task } }) => todo.has(task) && hint(todo.get(task).form, task.target));

  // Retries after a network failure, where the form asks for them: with the same key and the same bytes.
  function retries(form) {
    if (document.querySelector("[data-hc-network-retry]")) return 0; // the kit's own
    return Math.min(Number(form.dataset.singleshotRetry) || 0, 5);
  }
  // pause ends early, as a failure, when the person goes elsewhere or aborts.
  function pause(n, element, signal) {
    return new Promise((done, fail) => {
      const stop = () => document.visibilityState === "hidden" && give();
      const timer = setTimeout(() => (end(), done()), 500 * 2 ** n * (0.75 + Math.random() / 2));
      const give = () => (end(), fail(new Error("singleshot: no more retries")));
      const end = () => {
        clearTimeout(timer);
        removeEventListener("pagehide", give);
        document.removeEventListener("visibilitychange", stop);
        element.removeEventListener("htmx:abort", give);
        signal?.removeEventListener("abort", give);
      };
      addEventListener("pagehide", give);
      document.addEventListener("visibilitychange", stop);
      element.addEventListener("htmx:abort", give);
      signal?.addEventListener("abort", give);
    });
  }

  // Back and forward. htmx 1.9 and 2 store markup alone: what was typed is kept here, in memory.
  const typed = new Map(); // key → the values of its form
  const fields = (form) => [...form.elements].filter((e) => e.name && !/^(hidden|password|file|submit|button|image|reset|fieldset|output)$/.test(e.type));
  on("htmx:beforeHistorySave", () => {
    for (const form of forms()) {
      unnote(form);
      typed.set(keyOf(form), fields(form).map((e) => (e.options ? [...e.options].map((o) => o.selected) : [e.value, e.checked])));
    }
    if (typed.size > 20) typed.delete(typed.keys().next().value);
  });
  function restored() {
    for (const element of document.querySelectorAll("[data-disabled-by-htmx]")) {
      element.disabled = false;
      element.removeAttribute("data-disabled-by-htmx");
    }
    for (const form of forms()) {
      unnote(form);
      const values = typed.get(keyOf(form));
      const own = fields(form);
      if (values?.length === own.length) own.forEach((e, i) => {
        if (e.options) [...e.options].forEach((o, k) => (o.selected = values[i][k]));
        else if (/^(checkbox|radio)$/.test(e.type)) e.checked = values[i][1];
        else e.value = values[i][0];
      });
      check(form);
    }
  }
  on("htmx:historyRestore", restored);
  on("htmx:history:cache:after:restore", restored);
  on("pageshow", ({ persisted }) => persisted && (land(true), forms().forEach(check)));

  land(false);
  forms().forEach(check);
  return { fresh, state: (form) => STATES[stateOf(form)] };
}
