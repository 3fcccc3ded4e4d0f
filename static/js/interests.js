// Changes an interest in place: the list is replaced, and the row keeps its position and the focus.
(() => {
  "use strict";
  const rowOf = (term) => {
    const fields = [...document.querySelectorAll("[name=term]")];
    return fields.find((field) => field.value === term)?.closest("li");
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const term = form.elements.name?.value || form.elements.term?.value;
    if (!form.closest("[data-terms]") || term === undefined) return;
    event.preventDefault();
    const { submitter } = event;
    if (form.dataset.busy) return;
    form.dataset.busy = "yes";
    const top = form.closest("li").getBoundingClientRect().top;
    const { wordsRemoved } = form.closest("[data-terms]").dataset;
    try {
      const response = await reader.send(form.action, { method: "POST", body: new FormData(form, submitter) });
      const next = new DOMParser().parseFromString(await response.text(), "text/html");
      document.querySelector("main").replaceChildren(...next.querySelector("main").childNodes);
      restorePosition(term, submitter.value, top, wordsRemoved);
    } catch (error) {
      delete form.dataset.busy;
      reader.showError(error, () => submitter.click());
    }
  });

  const restorePosition = (term, act, top, removed) => {
    const row = rowOf(term);
    const other = { pin: "unpin", unpin: "pin", mute: "unmute", unmute: "mute" }[act] ?? act;
    const place = row ?? document.querySelector("main .message, main h1");
    if (row) scrollBy(0, row.getBoundingClientRect().top - top);
    const button = row?.querySelector(`[value="${other}"]`) ?? place.querySelector("button");
    button?.focus({ preventScroll: true });
    const weight = row?.querySelector(".sum")?.textContent ?? "";
    reader.announce(row ? `${term} ${weight}` : removed.replace("{term}", () => term));
  };
})();
