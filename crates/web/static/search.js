// @ts-check
/** Lists with a page beside them: keys move through the list, and the page of the chosen entry follows at once. */
import { all, bringMarks, fragment, isTyping, one } from "./common.js";

const hits = all(".hit[data-sheet]");
const beside = one("#beside");
let at = Math.max(0, hits.findIndex((hit) => hit.classList.contains("selected")));
let wanted = "";

/** @param {number} index */
async function choose(index) {
  const hit = hits[index];
  if (!hit || !beside) return;
  hits[at]?.classList.remove("selected");
  at = index;
  hit.classList.add("selected");
  hit.scrollIntoView({ block: "nearest" });
  const address = hit.dataset.sheet || "";
  wanted = address;
  // A change has a place in each edition.
  const addresses = [address, hit.dataset.sheetSecond].filter((part) => part !== undefined);
  const answers = await Promise.all(addresses.map((part) => fetch(part, { headers: { accept: "text/html" } })));
  const parts = await Promise.all(answers.map((answer) => answer.text()));
  // Somebody who holds the key down passes many; only the last one counts.
  if (wanted !== address || !answers.every((answer) => answer.ok)) return;
  beside.replaceChildren(...parts.map(fragment));
  beside.scrollTop = 0;
  bringMarks(beside);
}

bringMarks(beside);

document.addEventListener("keydown", (event) => {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || !hits.length) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    choose(Math.min(hits.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1))));
  } else if (event.key === "Enter" && document.activeElement === document.body) {
    one("a.open", hits[at])?.click();
  }
});

document.addEventListener("click", (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest("[data-select]");
  const hit = /** @type {HTMLElement | null} */ (link?.closest(".hit[data-sheet]") || null);
  if (!hit || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose(hits.indexOf(hit));
});
