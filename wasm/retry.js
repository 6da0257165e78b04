// retry.js sends a request again after a network failure, with the same key and the same bytes, where the form asks
// for it: data-singleshot-retry="2". htmx notices nothing of it: for htmx it is one request that takes longer.

// retries is how often a form's requests may go out again.
export function retries(form) {
  if (document.querySelector("[data-hc-network-retry]")) return 0; // the component kit's own
  return Math.min(Number(form.getAttribute("data-singleshot-retry")) || 0, 5);
}

// pause waits before the next try, longer each time. It fails when the person goes elsewhere or aborts.
function pause(n, element, signal) {
  return new Promise((done, fail) => {
    const ends = new AbortController();
    const end = (settle) => (clearTimeout(timer), ends.abort(), settle(new Error("singleshot: no more tries")));
    const timer = setTimeout(() => end(done), 500 * 2 ** n * (0.75 + Math.random() / 2));
    const stop = { signal: ends.signal };
    addEventListener("pagehide", () => end(fail), stop);
    document.addEventListener("visibilitychange", () => document.hidden && end(fail), stop);
    element.addEventListener("htmx:abort", () => end(fail), stop);
    signal?.addEventListener("abort", () => end(fail), stop);
  });
}

// retryXHR arms a request of htmx 1.9 or 2 that is about to be sent. again sets what is new in its headers.
export function retryXHR(xhr, { form, element, config, url, body, again, retrying, free }) {
  const most = retries(form);
  let n = 0;
  for (const name of most ? ["onerror", "ontimeout"] : []) {
    const fail = xhr[name];
    xhr[name] = async (event) => {
      if (n >= most) return fail.call(xhr, event);
      retrying.add(xhr); // its form stays held
      try {
        await pause(n++, element);
        xhr.open(config.verb.toUpperCase(), url, true);
        for (const [header, value] of Object.entries(config.headers)) if (value !== null) xhr.setRequestHeader(header, value);
        again();
        retrying.delete(xhr);
        XMLHttpRequest.prototype.send.call(xhr, body);
      } catch {
        retrying.delete(xhr);
        fail.call(xhr, event);
        free(form, xhr);
      }
    };
  }
}

// retryFetch does the same for htmx 4.
export function retryFetch(ctx, { form, again }) {
  const most = retries(form);
  const go = ctx.fetch;
  if (most) ctx.fetch = async (action, init) => {
    for (let n = 0; ; n++) {
      try {
        return await go(action, init);
      } catch (error) {
        if (n >= most || init.signal?.aborted) throw error;
        await pause(n, ctx.sourceElement, init.signal).catch(() => Promise.reject(error));
        again(init.headers);
      }
    }
  };
}
