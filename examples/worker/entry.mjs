// The Worker is what workers-assets-gen makes; the claim store is the guard's own class.
export { default } from "./build/worker.mjs";
export { Claims } from "../../edge/host/cell.js";
