// Runs the requests that a page shows as curl lines, and shows what came back.
const place = document.querySelector('[data-requests]');
const result = document.getElementById('request-result');
const shown = ['Content-Type', 'Location', 'Retry-After', 'Idempotency-Status', 'Idempotency-Replayed'];

const told = async (answer) => {
  const lines = [`HTTP ${answer.status}`];
  for (const name of shown) if (answer.headers.has(name)) lines.push(`${name}: ${answer.headers.get(name)}`);
  return [...lines, '', (await answer.text()).trim()].join('\n');
};

place?.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-run]');
  if (!button) return;
  const { url, authorization, event, type } = place.dataset;
  const headers = { 'Content-Type': type };
  if (authorization) headers.Authorization = authorization;
  if (button.dataset.key) headers['Idempotency-Key'] = button.dataset.key;
  if (event) headers['webhook-id'] = event;
  button.disabled = true;
  result.replaceChildren();
  try {
    for (let n = 0; n < (button.dataset.times ?? 1); n++) {
      // The API goes by its token: cookies stay home.
      const answer = await fetch(button.dataset.to || url, { method: 'POST', headers, body: button.dataset.body, credentials: 'omit' });
      const code = document.createElement('pre');
      code.className = 'hc-code';
      code.tabIndex = 0;
      code.dataset.status = answer.status;
      code.dataset.outcome = answer.headers.get('Idempotency-Status') ?? 'none';
      code.textContent = await told(answer);
      result.append(code);
    }
    document.body.dispatchEvent(new CustomEvent('answered'));
  } catch {
    result.append(document.getElementById('answer-lost').content.cloneNode(true));
  } finally {
    button.disabled = false;
    button.focus();
  }
});
