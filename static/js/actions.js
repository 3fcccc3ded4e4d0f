// Read, star, like, dislike and skip without a page load. The buttons change at once and change back if the request
// fails. Each action dispatches an "acted" event, which undo.js listens to.
(() => {
  "use strict";
  const ACTS = ["read", "star", "liked", "disliked", "skipped"];
  const VOTES = ["liked", "disliked"];

  const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
  const pathOf = (button) => new URL(button.formAction).pathname.replace(/\w+\/$/, "");
  // An article's buttons for an action: one in its row, and one in the pane while it's open there.
  const find = (path, act) => [...document.querySelectorAll(`[data-act="${act}"][formaction^="${path}"]`)];

  const show = (path, act, pressed) => {
    for (const button of find(path, act)) {
      button.setAttribute("aria-pressed", String(pressed));
      if (VOTES.includes(act)) button.value = pressed ? "neither" : act;
      else button.value = pressed ? "0" : "1";
      if (act === "read") button.closest("[data-row]")?.classList.toggle("is-read", pressed);
    }
  };

  // The states that this button changes, as [action, pressed].
  const changes = (button, path) => {
    const { act } = button.dataset;
    if (act === "skipped") return [["read", true]];
    const other = VOTES.includes(act) && !isPressed(button) ? VOTES.filter((name) => name !== act) : [];
    return [[act, !isPressed(button)], ...other.map((name) => [name, false])];
  };

  // `undoes`: this press undoes an earlier one, so it offers no undo itself.
  const perform = async (button, form, undoes) => {
    if (button.dataset.busy) return;
    button.dataset.busy = "yes";
    const { act } = button.dataset;
    const body = new FormData(form);
    body.set(button.name, button.value);
    const path = pathOf(button);
    const row = find(path, act).map((found) => found.closest("[data-row]")).find(Boolean);
    const changed = changes(button, path);
    const before = changed.flatMap(([name]) => find(path, name).slice(0, 1).map((found) => [name, isPressed(found)]));
    const restore = () => before.forEach(([name, pressed]) => show(path, name, pressed));
    const isDone = act === "skipped" || !isPressed(button);
    const words = form.getAttribute(`data-words-${isDone ? "" : "not-"}${act}`);
    changed.forEach(([name, pressed]) => show(path, name, pressed));
    if (act === "skipped") document.dispatchEvent(new CustomEvent("walk", { detail: { from: row } }));
    const acted = (detail) =>
      document.dispatchEvent(new CustomEvent("acted", { detail: { words, row, act, path, ...detail } }));
    try {
      const response = await reader.send(button.formAction, { method: "POST", body, headers: { "X-Quiet": "1" } });
      reader.announce(words);
      // The article may have been reopened in its old state.
      changed.forEach(([name, pressed]) => show(path, name, pressed));
      // Skipping and swiping show an undo message. The other actions are undone by pressing the button again.
      if (response.status === 200) acted({ undo: (await response.json()).undo, restore });
      else if (!undoes) {
        const again = () => perform(find(path, act)[0] ?? button, form, true);
        acted({ again, isShown: "swiped" in button.dataset });
      }
    } catch (error) {
      restore();
      reader.showError(error, () => perform(button, form, undoes));
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

  // Opening an article or its original marks it read. The list shows that too when the browser restores it from memory. In the pane,
  // the "opened" event does it (pane.js).
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-open], [data-original]");
    const row = event.defaultPrevented ? null : link?.closest("[data-row]");
    const button = row?.querySelector('[data-act="read"]');
    if (button) show(pathOf(button), "read", true);
  });
  document.addEventListener("opened", ({ detail: { path } }) => show(path, "read", true));
})();
