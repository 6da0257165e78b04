// The attacks: each sends real requests, through the guard and around it, and asks the application's database how
// often it ran.
import { freshKey, newID, pause, post, runs } from './send.js';

const table = document.querySelector('[data-attacks]');
const news = document.querySelector('[data-attack-news]');
const words = table.dataset;

const attacks = {
  twenty: (send) => Promise.all(Array.from({ length: 20 }, () => send({}))),
  slow: async (send) => {
    const all = [];
    for (let n = 0; n < 3; n++) {
      all.push(send({ slow: 1 }));
      await pause(500);
    }
    return Promise.all(all);
  },
  dropped: async (send) => {
    const line = new AbortController();
    const first = send({ slow: 1 }, { signal: line.signal }).catch(() => null);
    await pause(400);
    line.abort();
    return Promise.all([first, send({ slow: 1 })]);
  },
  payload: async (send) => [await send({}), await send({ amount: 9900 })],
  tab: async (send, tab) => Promise.all([send({}), tab().then((second) => second({}))]),
};

// form is what a page has that was rendered once: a key, and fields that are sent with it.
const form = async (path, guarded, attack) => {
  const key = guarded ? await freshKey(path) : null;
  if (guarded && !key) return null;
  const held = { attack, amount: 2400, ...(key && { idempotency_key: key }) };
  return (fields, options) => post(path, { ...held, ...fields }, options);
};

const side = async (name, cell, path, guarded) => {
  const attack = newID();
  const [number, said] = [cell.querySelector('.attacks__runs'), cell.querySelector('.attacks__said')];
  number.textContent = '…';
  said.textContent = '';
  cell.removeAttribute('data-ran');
  const open = () => form(path, guarded, attack);
  const send = await open();
  if (!send) {
    number.textContent = '–';
    said.textContent = words.saidNone;
    return;
  }
  const answers = await attacks[name](send, open);
  const count = await runs(attack);
  const outcomes = {};
  for (const answer of answers) {
    const outcome = answer ? answer.outcome ?? String(answer.status) : '×';
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  number.textContent = count;
  said.textContent = [words.saidSent.replace('#', answers.length), ...Object.entries(outcomes).map(([k, n]) => `${k} ${n}`)].join(' · ');
  cell.dataset.ran = count;
  cell.dataset.extra = count > (guarded ? cell.dataset.want : name === 'tab' ? 2 : 1);
};

const run = async (row) => {
  const button = row.querySelector('button');
  button.disabled = true;
  try {
    await side(row.dataset.attack, row.querySelector('[data-side=guarded]'), words.guarded, true);
    await side(row.dataset.attack, row.querySelector('[data-side=around]'), words.around, false);
    news.textContent = words.saidDone.replace('#', row.querySelector('th').firstChild.textContent);
  } finally {
    button.disabled = false;
  }
};

const rows = [...table.querySelectorAll('[data-attack]')];
for (const row of rows) row.querySelector('button').addEventListener('click', () => run(row));
const all = document.querySelector('[data-attack-all]');
all.addEventListener('click', async () => {
  all.disabled = true;
  for (const row of rows) await run(row);
  all.disabled = false;
  all.focus();
});
