// restore.js keeps what was typed over Back within a document. htmx 1.9 and 2 store markup alone, which holds no
// typed text; it is kept in memory here, by the form's key, and nowhere else.

const MOST = 20; // forms
const SKIP = /^(hidden|password|file|submit|button|image|reset|fieldset|output)$/;

// elementsOf are the elements of a form, which may have a field of that name.
const { get } = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements");
export const elementsOf = (form) => [...get.call(form)];

const fields = (form) => elementsOf(form).filter((e) => e.name && !SKIP.test(e.type));
const typed = new Map();

export function remember(form, key) {
  typed.delete(key);
  typed.set(key, fields(form).map((e) => (e.options ? [...e.options].map((o) => o.selected) : [e.value, e.checked])));
  if (typed.size > MOST) typed.delete(typed.keys().next().value);
}

export function refill(form, key) {
  const values = typed.get(key);
  const own = fields(form);
  if (values?.length !== own.length) return;
  own.forEach((e, i) => {
    if (e.options) [...e.options].forEach((o, k) => (o.selected = values[i][k]));
    else if (/^(checkbox|radio)$/.test(e.type)) e.checked = values[i][1];
    else e.value = values[i][0];
  });
}

// enable undoes what htmx had disabled for a request when the snapshot was taken.
export function enable() {
  for (const element of document.querySelectorAll("[data-disabled-by-htmx]")) {
    element.disabled = false;
    element.removeAttribute("data-disabled-by-htmx");
  }
}
