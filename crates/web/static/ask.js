// @ts-check
/** Questions: the answer is streamed, and the page of a statement is shown beside it when it is chosen. */
import { announce, bringMarks, fragment, one } from "./common.js";

const form = /** @type {HTMLFormElement | null} */ (one("#ask-form"));
const answers = one("#answers");
const beside = one("#beside");

/** @param {HTMLElement} list @param {string} text */
function step(list, text) {
  const item = document.createElement("li");
  item.textContent = text;
  list.append(item);
}

/** Reads lines of JSON as they come. @param {Response} answer @param {(value: any) => void} take */
async function lines(answer, take) {
  const reader = answer.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const parts = rest.split("\n");
    rest = parts.pop() || "";
    for (const part of parts) if (part) take(JSON.parse(part));
    if (done) return;
  }
}

/** @param {HTMLFormElement} form @param {HTMLElement} answers */
async function ask(form, answers) {
  const data = new FormData(form);
  const question = String(data.get("q") || "");
  const working = document.createElement("article");
  working.className = "answer";
  working.append(fragment('<h2 class="asked"></h2><p class="working"></p><p class="streamed"></p><details class="steps" open><summary></summary><ol></ol></details>'));
  const title = one(".asked", working);
  const words = one(".working", working);
  const summary = one("summary", working);
  if (summary) summary.textContent = form.dataset.steps || "";
  if (title) title.textContent = question;
  if (words) words.textContent = form.dataset.working || "";
  answers.prepend(working);
  const list = one("ol", working);
  try {
    const answer = await fetch("/ask/stream", { method: "POST", body: new URLSearchParams(/** @type {any} */ (data)) });
    if (!answer.ok) throw new Error(await answer.text());
    let ended = false;
    await lines(answer, (value) => {
      if (value.event === "step" && list) step(list, value.text);
      if (value.event === "text") { const said = one(".streamed", working); if (said) said.textContent += `${value.text}\n`; }
      if (value.event === "answer") {
        ended = true;
        const made = fragment(value.html);
        const first = /** @type {HTMLElement | null} */ (made.querySelector("[data-sheet]"));
        // How the answer was found stays with it, closed.
        const steps = /** @type {HTMLDetailsElement | null} */ (one(".steps", working));
        if (steps && list?.children.length) { steps.open = false; made.querySelector(".answer-foot")?.before(steps); }
        working.replaceWith(made);
        const field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("conversation"));
        if (field) field.value = value.conversation || "";
        const typed = /** @type {HTMLTextAreaElement | null} */ (one("#question"));
        if (typed) typed.value = "";
        history.pushState({ answer: value.id }, "", `/ask/${value.id}`);
        if (first) show(first);
      }
      if (value.event === "failure") {
        ended = true;
        fail(working, [value.message, value.hint].filter(Boolean).join(" "));
      }
    });
    if (!ended) throw new Error(form.dataset.stopped || "");
  } catch (error) {
    fail(working, String(/** @type {Error} */ (error).message || form.dataset.stopped));
  }
}

/** @param {HTMLElement} working @param {string} text */
function fail(working, text) {
  const words = one(".working", working);
  if (words) { words.className = "warning"; words.textContent = text; }
  announce(text);
}

/** Shows the page of a statement. @param {HTMLElement} link */
async function show(link) {
  if (!beside) return;
  for (const active of document.querySelectorAll(".statement.active")) active.classList.remove("active");
  link.closest(".statement")?.classList.add("active");
  const answer = await fetch(link.dataset.sheet || "");
  if (!answer.ok) return;
  beside.replaceChildren(fragment(await answer.text()));
  beside.scrollTop = 0;
  bringMarks(beside);
}

bringMarks(beside);
form?.addEventListener("submit", (event) => {
  if (!answers) return;
  event.preventDefault();
  ask(form, answers);
});
one("#question")?.addEventListener("keydown", (event) => {
  const key = /** @type {KeyboardEvent} */ (event);
  if (key.key === "Enter" && !key.shiftKey && !key.isComposing) { event.preventDefault(); form?.requestSubmit(); }
});
document.addEventListener("click", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const said = target.closest(".statement");
  const link = /** @type {HTMLElement | null} */ (target.closest("a.citation[data-sheet]") || (target.closest("a, button, summary") ? null : said?.querySelector("a.citation[data-sheet]")));
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || window.innerWidth < 760) return;
  event.preventDefault();
  show(link);
});
// Going back leaves an answer: the server has the view for that address.
window.addEventListener("popstate", () => location.reload());
