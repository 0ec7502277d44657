// @ts-check
/** The library: the list narrows while somebody types; editors drop files. */
import { all, announce, one } from "./common.js";

const filter = /** @type {HTMLInputElement | null} */ (one("#filter"));
const count = one("#count");
filter?.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const card of all(".card")) {
    const fits = words.every((word) => (card.dataset.text || "").includes(word));
    card.hidden = !fits;
    if (fits) shown += 1;
  }
  for (const series of all(".series")) series.hidden = !series.querySelector(".card:not([hidden])");
  if (count) count.textContent = count.textContent?.replace(/\d+/, String(shown)) || "";
});

const drop = one("#drop");
const file = /** @type {HTMLInputElement | null} */ (one("#file"));
const state = one("#upload-state");
const progress = /** @type {HTMLProgressElement | null} */ (one("#upload-progress"));

/** @param {string} text */
function say(text) {
  if (state) state.textContent = text;
  announce(text);
}

/** @param {File} chosen */
async function upload(chosen) {
  const started = performance.now();
  if (progress) { progress.hidden = false; progress.removeAttribute("value"); }
  say(chosen.name);
  const answer = await fetch(`/upload?name=${encodeURIComponent(chosen.name)}`, { method: "POST", body: chosen, headers: { "content-type": "application/octet-stream" } });
  if (!answer.ok || !answer.body) { say(`${answer.status} ${await answer.text()}`); return; }
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const parts = rest.split("\n");
    rest = parts.pop() || "";
    for (const part of parts.filter(Boolean)) {
      const event = JSON.parse(part);
      const seconds = Math.max(0.1, (performance.now() - started) / 1000);
      if (event.event === "page") {
        if (progress && event.total) { progress.max = event.total; progress.value = event.done; }
        say(`${event.done} / ${event.total || "?"} · ${(event.done / seconds).toFixed(1)} p/s`);
      } else if (event.event === "done") {
        location.href = `/r/${encodeURIComponent(event.reg_id)}/quality`;
      } else {
        say([event.message, event.hint].filter(Boolean).join(" "));
        if (progress) progress.hidden = true;
      }
    }
    if (done) return;
  }
}

file?.addEventListener("change", () => { if (file.files?.[0]) upload(file.files[0]).catch((error) => say(String(error))); });
drop?.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
drop?.addEventListener("dragleave", () => drop.classList.remove("over"));
drop?.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const chosen = event.dataTransfer?.files[0];
  if (chosen) upload(chosen).catch((error) => say(String(error)));
});
