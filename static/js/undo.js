// "Skipped. Undo": the last act that can be taken back, offered for a while; z takes it back also later.
(() => {
  "use strict";
  const SHOWN_FOR = 10_000; // milliseconds; longer while the pointer or the focus is on it
  const toast = document.querySelector("[data-toast]");
  const button = toast?.querySelector("[data-undo]");
  if (!button) return;
  const announce = (words) => { document.querySelector("[data-announce]").textContent = words; };
  let last = null;
  let timer = 0;

  const hideLater = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (toast.matches(":hover, :focus-within") ? hideLater() : (toast.hidden = true)), SHOWN_FOR);
  };

  document.addEventListener("acted", (event) => {
    last = event.detail;
    toast.querySelector("[data-toast-words]").textContent = `${last.words}.`;
    button.disabled = false;
    toast.hidden = false;
    announce(`${last.words}. z takes it back.`);
    hideLater();
  });

  button.addEventListener("click", async () => {
    if (!last) return;
    const { undo, restore, row, act } = last;
    last = null;
    button.disabled = true;
    const body = new FormData();
    body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
    try {
      const answer = await fetch(undo, { method: "POST", body, headers: { "X-Quiet": "1" } });
      if (answer.status !== 204) throw new Error(`status ${answer.status}`);
      restore();
      toast.hidden = true;
      if (act === "skipped") document.dispatchEvent(new CustomEvent("walk", { detail: { to: row } }));
      announce("Taken back");
    } catch {
      announce("That could not be taken back. Are you online and signed in?");
    }
  });
})();
