// What htmx 2 leaves to the page: refusals are answers too, and no answer needs a word.
(() => {
  // By itself htmx 2 swaps only 2xx and 3xx. A refusal that comes as a fragment, above all 422, belongs
  // where the answer would be; a full page (of some proxy on the way) does not.
  const isFragment = (xhr) =>
    (xhr.getResponseHeader('Content-Type') ?? '').startsWith('text/html') && !/^\s*<(!doctype|html)/i.test(xhr.responseText);

  document.addEventListener('htmx:beforeSwap', (event) => {
    const { xhr, requestConfig } = event.detail;
    if (requestConfig?.verb === 'post' && xhr?.status >= 400 && isFragment(xhr)) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });

  // Nothing readable came: say so in the result region, in the page's own words.
  const lost = (event) => {
    const { requestConfig, target } = event.detail;
    const words = document.getElementById('answer-lost');
    if (requestConfig?.verb === 'post' && target && words) {
      target.replaceChildren(words.content.cloneNode(true));
    }
  };
  document.addEventListener('htmx:sendError', lost);
  document.addEventListener('htmx:responseError', lost);
  document.addEventListener('htmx:timeout', lost);

  // A button that is disabled while its request runs loses the focus. Give it back, unless the answer or the
  // person took it elsewhere: who presses with the keyboard must be able to press again.
  document.addEventListener('htmx:beforeRequest', (event) => {
    const { elt } = event.detail;
    if (elt !== document.activeElement) return;
    const restore = () => {
      if (elt.isConnected && (document.activeElement ?? document.body) === document.body) elt.focus();
    };
    elt.addEventListener('htmx:afterRequest', () => requestAnimationFrame(restore), { once: true });
  });
})();
