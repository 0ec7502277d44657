// @ts-check
/** Comparing: this browser remembers the watch list, so that the next pair of editions is narrowed to it at once. */
import { all, one } from "./common.js";

const field = /** @type {HTMLTextAreaElement | null} */ (one("#watch"));
const KEY = "regreader.watch";

/** Private windows and strict settings refuse storage; then nothing is remembered. @param {(storage: Storage) => void} work */
function remembering(work) {
  try { work(window.localStorage); } catch { /* refused */ }
}

if (field) {
  const asked = new URLSearchParams(location.search);
  remembering((storage) => {
    // Only where no comparison is shown yet: an address shows what it says.
    if (!asked.has("old") && !field.value) field.value = storage.getItem(KEY) || "";
    if (field.value) { const details = field.closest("details"); if (details) details.open = true; }
    field.form?.addEventListener("submit", () => storage.setItem(KEY, field.value));
  });
}
for (const button of all(".change [data-select]")) button.hidden = false;
