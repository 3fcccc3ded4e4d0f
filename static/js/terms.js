// Change a term where it stands: the page comes again without being left, the row stays under the pointer and the focus.
(() => {
  "use strict";
  const rowOf = (term) => [...document.querySelectorAll("[name=term]")].find((field) => field.value === term)?.closest("li");

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const term = form.elements.term?.value;
    if (!form.closest("[data-terms]") || term === undefined) return;
    event.preventDefault();
    const { submitter } = event;
    if (form.dataset.busy) return;
    form.dataset.busy = "yes";
    const top = form.closest("li").getBoundingClientRect().top;
    try {
      const answer = await fetch(form.action, { method: "POST", body: new FormData(form, submitter) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      const main = next.querySelector("main");
      if (!main?.querySelector("[data-terms]")) throw new Error("not the page of interests");
      document.querySelector("main").replaceChildren(...main.childNodes);
      settle(term, submitter.value, top);
    } catch {
      location.reload();
    }
  });

  const settle = (term, act, top) => {
    const row = rowOf(term);
    const other = { pin: "unpin", unpin: "pin", mute: "unmute", unmute: "mute" }[act] ?? act;
    const place = row ?? document.querySelector("main .message, main h1");
    if (row) scrollBy(0, row.getBoundingClientRect().top - top);
    const button = row?.querySelector(`[value="${other}"]`) ?? place.querySelector("button");
    button?.focus({ preventScroll: true });
    const weight = row?.querySelector(".sum")?.textContent ?? "";
    const words = row ? `${term} ${weight}` : `Removed: ${term}`;
    document.querySelector("[data-announce]").textContent = words;
  };
})();
