// @ts-check
/** The reader: boxes and blocks light up together, keys turn pages, marks are scrolled to. */
import { all, isTyping, one } from "./common.js";

/** @param {string | undefined} id @param {boolean} on */
function light(id, on) {
  if (!id) return;
  for (const part of all(`[data-block="${CSS.escape(id)}"]`)) part.classList.toggle("lit", on);
}

/** The block that something belongs to. @param {EventTarget | null} target */
function blockOf(target) {
  const part = /** @type {Element | null} */ (target)?.closest?.("[data-block]");
  return part?.getAttribute("data-block") || undefined;
}

const panes = one(".panes");
if (panes) {
  for (const name of ["mouseover", "focusin"]) panes.addEventListener(name, (event) => light(blockOf(event.target), true));
  for (const name of ["mouseout", "focusout"]) panes.addEventListener(name, (event) => light(blockOf(event.target), false));
  panes.addEventListener("click", (event) => {
    const box = /** @type {Element} */ (event.target).closest("rect.box");
    const id = box?.getAttribute("data-block");
    const block = id && document.getElementById(`b-${id}`);
    choose(/** @type {Element} */ (event.target).closest("td[data-col]"));
    if (block) { block.scrollIntoView({ block: "center" }); block.focus({ preventScroll: true }); }
  });
}

/** The permalink of a table's block leads to the cell that was clicked. @param {Element | null} cell */
function choose(cell) {
  const block = cell?.closest(".block");
  const link = /** @type {HTMLAnchorElement | null} */ (block?.querySelector(".permalink") || null);
  const [, table, row] = /^row-(.*)-(\d+)$/.exec(cell?.closest("tr")?.id || "") || [];
  if (!cell || !block || !link || table === undefined) return;
  for (const old of all("td.chosen")) old.classList.remove("chosen");
  cell.classList.add("chosen");
  const address = new URL(link.href);
  address.search = new URLSearchParams({ t: table, row, col: cell.getAttribute("data-col") || "0" }).toString();
  link.href = address.pathname + address.search;
}

/** Brings what is marked into view, in the picture and in the text. */
function showMarks() {
  const frame = one(".sheet-frame");
  const pane = one(".picture-pane");
  const mark = document.querySelector(".sheet-frame .marked");
  if (frame && pane && mark && getComputedStyle(pane).overflowY !== "visible") {
    const top = mark.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    if (top > pane.clientHeight * 0.7) pane.scrollTop += top - pane.clientHeight / 3;
  }
  const block = one(".block.is-marked");
  if (!block) return;
  const row = block.dataset.row && document.getElementById(block.dataset.row);
  if (row) row.classList.add("is-marked");
  const text = one(".text-pane");
  const part = row || block;
  if (text && text.scrollHeight > text.clientHeight) {
    text.scrollTop += part.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 4;
  }
}
const picture = /** @type {HTMLImageElement | null} */ (one(".sheet-picture"));
if (picture && !picture.complete) picture.addEventListener("load", showMarks, { once: true });
showMarks();

const here = one(".contents .here a[aria-current]") || all(".contents .here > a").pop();
const contents = one(".contents");
if (here && contents) contents.scrollTop = Math.max(0, here.offsetTop - contents.clientHeight / 3);

// On a narrow screen the page comes first; the contents are one tap away.
const list = /** @type {HTMLDetailsElement | null} */ (one(".contents details"));
if (list && window.innerWidth <= 760) list.open = false;

/** @param {number} step */
function walk(step) {
  const blocks = all(".block");
  const at = blocks.findIndex((block) => block === document.activeElement || block.contains(document.activeElement));
  const next = blocks[Math.min(blocks.length - 1, Math.max(0, at + step))];
  if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
}

document.addEventListener("keydown", (event) => {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const link = event.key === "ArrowLeft" ? one('a[rel="prev"]') : event.key === "ArrowRight" ? one('a[rel="next"]') : null;
  if (link) { link.click(); event.preventDefault(); }
  if (event.key === "j") walk(1);
  if (event.key === "k") walk(-1);
  if (event.key === "c") {
    const details = /** @type {HTMLDetailsElement | null} */ (one(".contents details"));
    if (details) { details.open = true; one("a", details)?.focus(); }
  }
});
