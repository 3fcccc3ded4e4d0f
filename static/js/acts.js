// Read, star, like, dislike and skip without leaving the page: what was pressed shows at once, wherever the article has
// that button, and changes back when it could not be done. Each can be taken back, and is told as an event "acted"
// (undo.js).
(() => {
  "use strict";
  const ACTS = ["read", "star", "liked", "disliked", "skipped"];
  const VOTES = ["liked", "disliked"];

  const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
  const pathOf = (button) => new URL(button.formAction).pathname.replace(/\w+\/$/, "");
  // The buttons of an article for an act: its row has one, and so has the article that is open beside it.
  const find = (path, act) => [...document.querySelectorAll(`[data-act="${act}"][formaction^="${path}"]`)];

  const show = (path, act, pressed) => {
    for (const button of find(path, act)) {
      button.setAttribute("aria-pressed", String(pressed));
      if (VOTES.includes(act)) button.value = pressed ? "neither" : act;
      else button.value = pressed ? "0" : "1";
      if (act === "read") button.closest("[data-row]")?.classList.toggle("is-read", pressed);
    }
  };

  // What changes with this button, each with what it changes to.
  const changes = (button, path) => {
    const { act } = button.dataset;
    if (act === "skipped") return [["read", true]];
    const other = VOTES.includes(act) && !isPressed(button) ? VOTES.filter((name) => name !== act) : [];
    return [[act, !isPressed(button)], ...other.map((name) => [name, false])];
  };

  // `undoes`: it is pressed once more to take it back.
  const perform = async (button, form, undoes) => {
    if (button.dataset.busy) return;
    button.dataset.busy = "yes";
    const { act } = button.dataset;
    const body = new FormData(form);
    body.set(button.name, button.value);
    const path = pathOf(button);
    const row = find(path, act).map((each) => each.closest("[data-row]")).find(Boolean);
    const changed = changes(button, path);
    const before = changed.flatMap(([name]) => find(path, name).slice(0, 1).map((each) => [name, isPressed(each)]));
    const restore = () => before.forEach(([name, pressed]) => show(path, name, pressed));
    const isDone = act === "skipped" || !isPressed(button);
    const words = form.getAttribute(`data-words-${isDone ? "" : "not-"}${act}`);
    changed.forEach(([name, pressed]) => show(path, name, pressed));
    if (act === "skipped") document.dispatchEvent(new CustomEvent("walk", { detail: { from: row } }));
    const acted = (detail) => document.dispatchEvent(new CustomEvent("acted", { detail: { words, row, act, path, ...detail } }));
    try {
      const answer = await reader.send(button.formAction, { method: "POST", body, headers: { "X-Quiet": "1" } });
      reader.announce(words);
      changed.forEach(([name, pressed]) => show(path, name, pressed)); // it may have been opened meanwhile, as it was before
      // A finger that swiped may have slipped, and is shown the way back, which is to press once more.
      if (answer.status === 200) acted({ undo: (await answer.json()).undo, restore });
      else if (!undoes) acted({ again: () => perform(find(path, act)[0] ?? button, form, true), isShown: "swiped" in button.dataset });
    } catch (trouble) {
      restore();
      reader.tell(trouble, () => perform(button, form, undoes));
    } finally {
      for (const name of ["busy", "swiped"]) delete button.dataset[name];
    }
  };

  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (!form.matches("[data-acts]") || !ACTS.includes(submitter?.dataset.act)) return;
    event.preventDefault();
    perform(submitter, form, false);
  });

  // Opening an article marks it read; the list that the back key brings out of memory should say so. What opens beside
  // its list (pane.js) says so when it has come.
  document.addEventListener("click", (event) => {
    const row = event.defaultPrevented ? null : event.target.closest("[data-open]")?.closest("[data-row]");
    const button = row?.querySelector('[data-act="read"]');
    if (button) show(pathOf(button), "read", true);
  });
  document.addEventListener("opened", ({ detail: { path } }) => show(path, "read", true));
})();
