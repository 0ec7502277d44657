// @ts-check
/** What every screen has: keys, copying, printing, peeking at references. Everything works without this file too. */

/** @param {string} selector @param {ParentNode} [root] @returns {HTMLElement | null} */
export const one = (selector, root = document) => root.querySelector(selector);
/** @param {string} selector @param {ParentNode} [root] @returns {HTMLElement[]} */
export const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

/** Says something to people who listen. @param {string} text */
export function announce(text) {
  const live = one("#live");
  if (live) live.textContent = text;
}

/** Whether keys belong to a field right now. @param {Event} event */
export function isTyping(event) {
  const target = /** @type {HTMLElement | null} */ (event.target);
  return !!target && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** @param {string} text */
async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // Browsers offer the clipboard only over HTTPS and on loopback; in a plain network this still works.
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** A piece of a page from the server, which escapes everything that a document says. @param {string} html */
export function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  reveal(template.content);
  return template.content;
}

/** Shows the buttons that need scripts. @param {ParentNode} root */
function reveal(root) {
  for (const button of all("[data-copy], [data-copy-from], [data-print]", root)) button.hidden = false;
  for (const picture of all("img.sheet-picture", root)) picture.addEventListener("error", missing, { once: true });
}

/** A page that cannot be drawn shows its text and says so. @param {Event} event */
function missing(event) {
  const figure = /** @type {HTMLElement} */ (event.target).closest("figure");
  const frame = figure && one(".sheet-frame", figure);
  const words = figure && one(".no-picture", figure);
  if (frame) frame.hidden = true;
  if (words) words.hidden = false;
}

/** Scrolls a pane to the first mark in it, once its picture has a size, and leaves the page where it is. @param {HTMLElement | null} pane */
export function bringMarks(pane) {
  const picture = /** @type {HTMLImageElement | null} */ (pane && one("img.sheet-picture", pane));
  const scroll = () => {
    const mark = pane?.querySelector(".marked");
    if (pane && mark) pane.scrollTop += mark.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3;
  };
  if (picture && !picture.complete) picture.addEventListener("load", scroll, { once: true });
  scroll();
}

/** @type {HTMLElement | null} */
let cameFrom = null;

/** @param {HTMLElement} link */
async function peek(link) {
  const panel = one("#peek");
  const body = panel && one(".peek-body", panel);
  if (!panel || !body) return;
  const answer = await fetch(link.dataset.peek || "", { headers: { accept: "text/html" } });
  body.replaceChildren(fragment(await answer.text()));
  panel.hidden = false;
  cameFrom = link;
  const close = one(".close", panel);
  if (close) close.focus();
}

function closePeek() {
  const panel = one("#peek");
  if (!panel || panel.hidden) return false;
  panel.hidden = true;
  if (cameFrom) cameFrom.focus();
  return true;
}

document.addEventListener("click", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const button = /** @type {HTMLElement | null} */ (target.closest("[data-copy], [data-copy-from], [data-print], [data-close], a[data-peek]"));
  if (!button || event.defaultPrevented) return;
  if (button.dataset.peek) {
    // A second click, or one with a key held, follows the link.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    peek(button).catch(() => { location.href = /** @type {HTMLAnchorElement} */ (button).href; });
  } else if (button.dataset.close) {
    closePeek();
  } else if (button.hasAttribute("data-print")) {
    window.print();
  } else {
    const text = button.dataset.copyFrom ? fetch(button.dataset.copyFrom).then((answer) => answer.text()) : Promise.resolve(button.dataset.copy || "");
    const words = button.textContent || "";
    text.then(copy).then(() => {
      button.textContent = "✓ " + words.replace(/^✓ /, "");
      announce(button.textContent);
      setTimeout(() => { button.textContent = words; }, 1500);
    });
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && closePeek()) return;
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = /** @type {HTMLDialogElement | null} */ (one("#keys"));
  if (event.key === "/") {
    const field = /** @type {HTMLInputElement | null} */ (one("#q"));
    if (field) { field.focus(); field.select(); event.preventDefault(); }
  } else if (event.key === "?" && keys) {
    keys.showModal();
  }
});

const keysButton = one("#keys-button");
if (keysButton) {
  keysButton.hidden = false;
  keysButton.addEventListener("click", () => /** @type {HTMLDialogElement | null} */ (one("#keys"))?.showModal());
}
reveal(document);
