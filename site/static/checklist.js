// The checks of the design review. Each sends real requests to this site and returns whether the point holds, and
// what it saw; null where no guard is in front.
import { freshKey, newID, post, runs } from './send.js';

const path = '/api/break/orders';

// keyed is an attack with one key: send posts with it, ran counts.
const keyed = async () => {
  const key = await freshKey(path);
  if (!key) return null;
  const attack = newID();
  return {
    send: (fields, options) => post(path, { attack, amount: 2400, idempotency_key: key, ...fields }, options),
    ran: () => runs(attack),
  };
};
const text = async (url) => (await fetch(url, { headers: { 'HX-Request': 'true' } })).text();
const attribute = (html, name) => html.match(new RegExp(`${name}="(\\d+)"`))?.[1];

const list = document.querySelector('[data-checks]');
const words = list.dataset;
const tell = (...said) => said.join(' · ');
const told = (words, n) => words.replace('#', n);

const checks = {
  async repeat() {
    const form = await keyed();
    if (!form) return null;
    const [first, second] = [await form.send(), await form.send()];
    const ran = await form.ran();
    return [ran === 1 && second.replayed && first.text === second.text, tell(first.outcome, second.outcome, told(words.saidRan, ran))];
  },
  async flight() {
    const form = await keyed();
    if (!form) return null;
    const all = await Promise.all([form.send({ slow: 1 }), form.send({ slow: 1 })]);
    const ran = await form.ran();
    return [ran === 1 && all.every(({ status }) => status === 200), tell(...all.map(({ status }) => status), told(words.saidRan, ran))];
  },
  async changed() {
    const form = await keyed();
    if (!form) return null;
    await form.send();
    const other = await form.send({ amount: 9900 });
    const ran = await form.ran();
    return [ran === 1 && other.status === 422 && other.outcome === 'mismatch', tell(`${other.status} ${other.outcome}`, told(words.saidRan, ran))];
  },
  async validation() {
    const form = await keyed();
    if (!form) return null;
    const [wrong, right] = [await form.send({ amount: 'ten' }), await form.send()];
    const ran = await form.ran();
    return [ran === 1 && wrong.outcome === 'released' && right.outcome === 'created', tell(`${wrong.status} ${wrong.outcome}`, `${right.status} ${right.outcome}`, told(words.saidRan, ran))];
  },
  async scope() {
    const form = await keyed();
    if (!form) return null;
    const mine = await form.send();
    const stranger = await form.send({}, { credentials: 'omit' });
    return [!stranger.replayed && stranger.text !== mine.text, tell(mine.outcome, told(words.saidStranger, stranger.outcome))];
  },
  async constraint() {
    const bill = `B-${newID().slice(0, 6).toUpperCase()}`;
    const pay = () => post('/api/unguarded/payments', { bill, amount: 2400 }, { headers: { 'Idempotency-Key': `check-${bill}-${bill}` } });
    await pay();
    await pay();
    const settled = attribute(await text(`/api/recipes/backstop/payments?bill=${bill}`), 'data-settled');
    return [settled === '1', told(words.saidSettled, settled)];
  },
  async webhook() {
    const id = `evt_${newID()}`;
    const headers = { 'Content-Type': 'application/json', 'webhook-id': id };
    const deliver = () => fetch('/api/recipes/webhook/events', { method: 'POST', headers, body: '{"type":"invoice.paid"}' });
    const second = (await deliver(), await deliver());
    if (!second.headers.has('Idempotency-Status')) return null;
    const ran = attribute(await text(`/api/recipes/webhook/events?id=${id}`), 'data-event-count');
    return [ran === '1', told(words.saidRan, ran)];
  },
  async job() {
    const id = newID();
    const run = () => post(`/api/recipes/backstop/jobs/${id}/run`, {});
    const { text: seen } = (await run(), await run());
    const [ran, exports] = [attribute(seen, 'data-job-runs'), attribute(seen, 'data-job-exports')];
    return [ran === '2' && exports === '1', tell(told(words.saidRan, ran), told(words.saidExports, exports))];
  },
};

const sum = document.querySelector('[data-check-sum]');
const button = document.querySelector('[data-check-all]');

button.addEventListener('click', async () => {
  button.disabled = true;
  let held = 0;
  for (const item of list.children) {
    const result = item.querySelector('[data-result]');
    const show = (state, said, seen = '') => {
      item.dataset.state = state;
      result.textContent = seen ? `${said}: ${seen}` : said;
    };
    show('running', words.saidRun);
    try {
      const outcome = await checks[item.dataset.check]();
      if (!outcome) show('none', words.saidNone);
      else show(outcome[0] ? 'pass' : 'fail', outcome[0] ? words.saidPass : words.saidFail, outcome[1]);
      held += outcome?.[0] ? 1 : 0;
    } catch (error) {
      show('fail', words.saidFail, String(error));
    }
  }
  sum.textContent = sum.dataset.said.replace('#', held).replace('#', list.children.length);
  button.disabled = false;
  button.focus();
});
