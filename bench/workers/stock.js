// The stock set-up of syumai/workers, as its assets generator writes it, with the Durable Object beside it.
export { default } from "./worker.mjs";
export { Cell } from "./cell.js";
