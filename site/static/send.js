// How the pages that send on purpose do it: as htmx would, so that the guard treats each request as a form's.

// freshKey asks the guard for a key for a form's action; null where no guard answers.
export const freshKey = async (action) => {
  const answer = await fetch(`/_singleshot/key?action=${encodeURIComponent(action)}`);
  if (!answer.ok || !answer.headers.get('Content-Type')?.includes('json')) return null;
  return (await answer.json()).key;
};

// post sends fields and tells what came back: the status, what the guard calls it, and the body.
export const post = async (path, fields, options = {}) => {
  const body = new URLSearchParams(fields);
  const headers = { 'HX-Request': 'true', ...options.headers };
  const answer = await fetch(path, { method: 'POST', body, ...options, headers });
  return {
    status: answer.status,
    outcome: answer.headers.get('Idempotency-Status'),
    replayed: answer.headers.has('Idempotency-Replayed'),
    text: await answer.text(),
    headers: answer.headers,
  };
};

// runs is how often the application ran for an attack, by its own count.
export const runs = async (attack) => (await (await fetch(`/api/break/orders?attack=${attack}`)).json()).runs;

// newID is an id of 16 characters that nobody else has.
export const newID = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => 'abcdefghijklmnopqrstuvwxyz012345'[n % 32]).join('');

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
