// notes.js writes what a person reads: the hint beside an answer, and the note at the end of a form.
import { WORD } from "./engine.js";

// Where no line of text may stand.
const NO_ROOM = "table,thead,tbody,tfoot,tr,ul,ol,dl,menu,select,datalist,p,span,a,button,h1,h2,h3,h4,h5,h6,pre,input,textarea,img";
const NOTE = "[data-singleshot=note]";

export function notes(engine) {
  const say = (word, element) => engine.say(word, element.closest("[lang]")?.lang ?? "");

  function line(kind) {
    const p = document.createElement("p");
    p.className = "hc-field__hint";
    p.dataset.singleshot = kind;
    return p;
  }

  // note says a word at the end of a form. The text comes a turn after the line: a live region that is born with
  // its text is not read out.
  function note(form, word, { offer, own } = {}) {
    const p = form.querySelector(NOTE) ?? line("note");
    if (p.dataset.word === String(word)) return;
    p.dataset.word = word;
    p.setAttribute("role", "status");
    if (!p.parentNode) Element.prototype.append.call(form, p);
    setTimeout(() => {
      if (p.dataset.word !== String(word)) return;
      p.textContent = own || say(word, form);
      if (!offer) return;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "hc-button", textContent: say(WORD.FRESH, form) });
      Object.assign(button.dataset, { singleshot: "fresh", variant: "secondary" });
      button.style.marginBlock = "0.5em 0"; // it may come below the text; a policy forbids style attributes, not this
      p.append(" ", button);
    });
  }

  // hint says in what was swapped that it is the first answer again; in the form's note where that has no place for
  // a line. It is no live region: the one that it comes into reads it with the rest.
  function hint(form, target) {
    const own = (form.closest("[data-singleshot-hint]") ?? target?.closest("[data-singleshot-hint]"))?.dataset.singleshotHint;
    if (own === "off") return;
    const box = target?.isConnected ? (target.querySelector(".hc-card") ?? target) : null;
    if (!box || box.matches(NO_ROOM)) return form.isConnected && note(form, WORD.HINT, { own });
    for (const old of target.querySelectorAll("[data-singleshot=hint]")) old.remove();
    const p = line("hint");
    p.textContent = own || say(WORD.HINT, target);
    box.append(p);
  }

  return { note, hint, clear: (form) => form.querySelector(NOTE)?.remove(), of: (form) => form.querySelector(NOTE) };
}
