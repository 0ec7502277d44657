// @ts-check
/** Tables: rows are narrowed while somebody types, and the row that was asked for is brought into view. */
import { all, one } from "./common.js";

const fields = /** @type {HTMLInputElement[]} */ (all("#column-filters input[data-col]"));
const rows = /** @type {HTMLTableRowElement[]} */ (all("table.whole tbody tr"));
const shown = one("#rows-shown");
const total = rows.length;

/** Letters and digits only, as the server compares them. @param {string} text */
const fold = (text) => text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function narrow() {
  const wanted = fields.map((field) => fold(field.value));
  let count = 0;
  for (const row of rows) {
    const fits = wanted.every((text, col) => !text || fold(row.cells[col]?.textContent || "").includes(text));
    row.hidden = !fits;
    if (fits) count += 1;
  }
  if (shown) shown.textContent = shown.textContent?.replace(/\d+/, String(count)) || "";
}
// The link at the end of a row leads to the cell that was clicked, marked on its page.
one("table.whole tbody")?.addEventListener("click", (event) => {
  const cell = /** @type {Element} */ (event.target).closest("td[data-col]");
  const link = /** @type {HTMLAnchorElement | null} */ (cell?.closest("tr")?.querySelector(".row-page a") || null);
  if (!cell || !link) return;
  for (const old of all("td.chosen")) old.classList.remove("chosen");
  cell.classList.add("chosen");
  const address = new URL(link.href);
  address.searchParams.set("col", cell.getAttribute("data-col") || "0");
  link.href = address.pathname + address.search;
});
for (const field of fields) field.addEventListener("input", narrow);
if (total) one("tr.is-marked")?.scrollIntoView({ block: "center" });
