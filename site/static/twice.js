// "Send it twice": two requests of the form at once, past everything in the page that would hold back a second.
import { post } from './send.js';

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-twice]');
  if (!button) return;
  const form = button.form ?? button.closest('form');
  const submit = form.querySelector('[data-hx-post]');
  const fields = new URLSearchParams([...new FormData(form), ...new URLSearchParams(button.dataset.twice)]);
  button.disabled = true;
  try {
    const answers = await Promise.all([0, 1].map(() => post(submit.dataset.hxPost, fields)));
    answers.sort((a, b) => a.replayed - b.replayed);
    for (const answer of answers) {
      const detail = { ...answer, key: fields.get('idempotency_key') };
      document.dispatchEvent(new CustomEvent('singleshot-demo:answer', { detail }));
    }
    const target = document.querySelector(submit.dataset.hxTarget);
    window.htmx.swap(target, answers.at(-1).text, { swapStyle: submit.dataset.hxSwap });
  } catch {
    document.querySelector(submit.dataset.hxTarget)?.replaceChildren(document.getElementById('answer-lost').content.cloneNode(true));
  } finally {
    button.disabled = false;
  }
});
