// Read, star, like, dislike and skip without leaving the page: what was pressed shows at once, and changes back when it
// could not be done. Each can be taken back, and is told as an event "acted" (undo.js).
(() => {
  "use strict";
  const ACTS = ["read", "star", "liked", "disliked", "skipped"];
  const VOTES = ["liked", "disliked"];

  const isPressed = (button) => button.getAttribute("aria-pressed") === "true";

  const show = (button, pressed) => {
    const { act } = button.dataset;
    if (act === "skipped") return;
    button.setAttribute("aria-pressed", String(pressed));
    if (VOTES.includes(act)) button.value = pressed ? "neither" : act;
    else button.value = pressed ? "0" : "1";
    if (act === "read") button.closest("[data-row]")?.classList.toggle("is-read", pressed);
  };

  // The buttons that change with this one, each with what it changes to.
  const changes = (button) => {
    const { act } = button.dataset;
    const place = button.closest("[data-row]") ?? document;
    const find = (name) => place.querySelector(`[data-act="${name}"]`);
    if (act === "skipped") return [[find("read"), true]];
    const other = VOTES.includes(act) && !isPressed(button) ? VOTES.find((name) => name !== act) : null;
    return [[button, !isPressed(button)], ...(other ? [[find(other), false]] : [])];
  };

  document.addEventListener("submit", async (event) => {
    const button = event.submitter;
    const act = button?.dataset.act;
    if (!event.target.matches("[data-acts]") || !ACTS.includes(act)) return;
    event.preventDefault();
    if (button.dataset.busy) return;
    button.dataset.busy = "yes";
    const body = new FormData(event.target, button);
    const row = button.closest("[data-row]");
    const changed = changes(button).filter(([each]) => each);
    const before = changed.map(([each]) => [each, isPressed(each)]);
    const restore = () => before.forEach(([each, pressed]) => show(each, pressed));
    const isDone = act === "skipped" || !isPressed(button);
    const words = event.target.getAttribute(`data-words-${isDone ? "" : "not-"}${act}`);
    changed.forEach(([each, pressed]) => show(each, pressed));
    if (act === "skipped") document.dispatchEvent(new CustomEvent("walk", { detail: { from: row } }));
    const acted = (detail) => document.dispatchEvent(new CustomEvent("acted", { detail: { words, row, act, ...detail } }));
    try {
      const answer = await reader.send(button.formAction, { method: "POST", body, headers: { "X-Quiet": "1" } });
      reader.announce(words);
      // A finger that swiped may have slipped, and is shown the way back, which is to press once more.
      if (answer.status === 200) acted({ undo: (await answer.json()).undo, restore });
      else if (!button.dataset.undoes) acted({ again: button, isShown: "swiped" in button.dataset });
    } catch (trouble) {
      restore();
      reader.tell(trouble, () => button.click());
    } finally {
      for (const name of ["busy", "swiped", "undoes"]) delete button.dataset[name];
    }
  });

  // Opening an article marks it read; the list that the back key brings out of memory should say so.
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-open]")?.closest("[data-row]");
    const button = row?.querySelector('[data-act="read"]');
    if (button) show(button, true);
  });
})();
