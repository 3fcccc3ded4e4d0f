// Read and star without leaving the page: the button changes at once, and changes back when the server does not agree.
(() => {
  "use strict";
  const announce = (words) => {
    const place = document.querySelector("[data-announce]");
    if (place) place.textContent = words;
  };

  const show = (button, pressed) => {
    button.setAttribute("aria-pressed", String(pressed));
    button.value = pressed ? "0" : "1";
    if (button.dataset.act === "read") button.closest("[data-row]")?.classList.toggle("is-read", pressed);
  };

  document.addEventListener("submit", async (event) => {
    const button = event.submitter;
    if (!event.target.matches("[data-acts]") || !button?.hasAttribute("aria-pressed")) return;
    event.preventDefault();
    if (button.dataset.busy) return;
    button.dataset.busy = "yes";
    const body = new FormData(event.target, button);
    const pressed = button.value === "1";
    show(button, pressed);
    try {
      const answer = await fetch(button.formAction, { method: "POST", body, headers: { "X-Quiet": "1" } });
      if (answer.status !== 204) throw new Error(`status ${answer.status}`);
      announce({ read: ["Unread", "Read"], star: ["Star taken away", "Starred"] }[button.dataset.act][Number(pressed)]);
    } catch {
      show(button, !pressed);
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
