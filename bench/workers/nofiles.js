// In place of build/browser/files.js.
export const files = new Map();
