// What the guard did, as the page can see it: a line for each answer, from its headers, and the trail that the
// application reads for us. The trail gets its last entries a moment after the answer, so it is read twice.
(() => {
  const list = () => document.querySelector('[data-said]');

  let last; // the key that was sent last: a form that came back with the answer has another one

  const say = (status, outcome, key) => {
    last = key || last;
    const line = document.getElementById('said-line')?.content.cloneNode(true);
    if (!line) return;
    line.querySelector('b').textContent = outcome ?? '–';
    line.querySelector('span').textContent = status;
    line.querySelector('li').dataset.outcome = outcome ?? 'none';
    list().append(line);
    while (list().children.length > 8) list().firstElementChild.remove();
    const tell = (name) => document.body.dispatchEvent(new CustomEvent(name));
    tell('answered');
    setTimeout(tell, 1300, 'settled');
  };

  document.addEventListener('htmx:afterRequest', ({ detail: { xhr, requestConfig } }) => {
    if (!list() || requestConfig?.verb !== 'post' || !xhr?.status) return;
    // Only what the form of this panel sent: the page has other buttons.
    const key = document.querySelector(list().dataset.key);
    const sent = requestConfig.parameters?.idempotency_key;
    if (sent || !key) say(xhr.status, xhr.getResponseHeader('Idempotency-Status'), sent);
  });
  // Scripts that send by themselves tell what they got.
  document.addEventListener('singleshot-demo:answer', ({ detail }) => list() && say(detail.status, detail.outcome, detail.key));
  document.addEventListener('htmx:configRequest', ({ detail }) => {
    if (detail.path === '/api/trail' && last) detail.parameters.idempotency_key = last;
  });
  // Back brings the page as it was: its key may have been used since.
  addEventListener('pageshow', ({ persisted }) => {
    const back = persisted || performance.getEntriesByType('navigation')[0]?.type === 'back_forward';
    if (back) document.body.dispatchEvent(new CustomEvent('restored'));
  });
  document.addEventListener('fresh-form', () => {
    last = undefined;
    list()?.replaceChildren();
  }, true); // before the trail asks
})();
