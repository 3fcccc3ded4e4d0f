// "Skipped. Undo": offers to undo the last action for a while. z undoes it later, too, including actions that show on
// their button and get no message.
(() => {
  "use strict";
  const SHOWN_FOR = 10_000; // milliseconds; longer while the pointer or the focus is on it
  const toast = document.querySelector("[data-toast]");
  const button = toast.querySelector("[data-undo]");
  let last = null;
  let timer = 0;

  const hideLater = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (toast.matches(":hover, :focus-within") ? hideLater() : (toast.hidden = true)), SHOWN_FOR);
  };

  document.addEventListener("acted", ({ detail: { isShown = true, ...act } }) => {
    last = act;
    button.disabled = false;
    toast.hidden = !isShown;
    if (!isShown) return;
    const { wordsShown, wordsAnnounced } = toast.dataset;
    toast.querySelector("[data-toast-words]").textContent = wordsShown.replace("{done}", () => act.words);
    reader.announce(wordsAnnounced.replace("{done}", () => act.words));
    hideLater();
  });

  button.addEventListener("click", async () => {
    if (!last) return;
    const undone = last;
    const { undo, again, restore, row, act } = undone;
    last = null;
    button.disabled = true;
    if (again) {
      again();
      toast.hidden = true;
      return;
    }
    const body = new FormData();
    body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
    try {
      await reader.send(undo, { method: "POST", body, headers: { "X-Quiet": "1" } });
      restore();
      toast.hidden = true;
      if (act === "skipped") document.dispatchEvent(new CustomEvent("walk", { detail: { to: row } }));
      reader.announce(toast.dataset.wordsUndone);
    } catch (error) {
      last ??= undone;
      button.disabled = false;
      reader.showError(error, () => button.click());
    }
  });
})();
