// Read, star, like, dislike and skip without leaving the page: what was pressed shows at once, and changes back when the
// server does not agree. What can be taken back is told as an event "acted" (undo.js).
(() => {
  "use strict";
  const WORDS = {
    read: ["Unread", "Read"],
    star: ["Star taken away", "Starred"],
    liked: ["Not liked any more", "Liked"],
    disliked: ["Not disliked any more", "Disliked"],
    skipped: ["", "Skipped"],
  };
  const VOTES = ["liked", "disliked"];

  const announce = (words) => {
    const place = document.querySelector("[data-announce]");
    if (place) place.textContent = words;
  };

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
    if (!event.target.matches("[data-acts]") || !(act in WORDS)) return;
    event.preventDefault();
    if (button.dataset.busy) return;
    button.dataset.busy = "yes";
    const body = new FormData(event.target, button);
    const row = button.closest("[data-row]");
    const changed = changes(button).filter(([each]) => each);
    const before = changed.map(([each]) => [each, isPressed(each)]);
    const restore = () => before.forEach(([each, pressed]) => show(each, pressed));
    const words = WORDS[act][Number(act === "skipped" || !isPressed(button))];
    changed.forEach(([each, pressed]) => show(each, pressed));
    if (act === "skipped") document.dispatchEvent(new CustomEvent("walk", { detail: { from: row } }));
    try {
      const answer = await fetch(button.formAction, { method: "POST", body, headers: { "X-Quiet": "1" } });
      if (answer.redirected || !answer.ok) throw new Error(`status ${answer.status}`);
      announce(words);
      if (answer.status === 200) {
        const { undo } = await answer.json();
        document.dispatchEvent(new CustomEvent("acted", { detail: { words, undo, restore, row, act } }));
      }
    } catch {
      restore();
      announce("That could not be saved. Are you online and signed in?");
    } finally {
      delete button.dataset.busy;
    }
  });

  // Opening an article marks it read; the list that the back key brings out of memory should say so.
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-open]")?.closest("[data-row]");
    const button = row?.querySelector('[data-act="read"]');
    if (button) show(button, true);
  });
})();
