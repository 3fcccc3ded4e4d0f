// Following a feed in a dialog: from a [data-add] link, or the "add" event of its key. The steps are the same forms as
// on the pages; the server answers with the next one.
(() => {
  "use strict";
  const HEADERS = { "X-Fragment": "add" };
  const WAIT = 600; // milliseconds between two looks at a lookup
  const dialog = document.querySelector("[data-add-box]");
  const content = dialog.querySelector("[data-add-step]");
  const early = content.querySelector("template").content.firstElementChild; // shown until the first step is there
  let isEntered = false; // before the first step was there
  let turn = 0; // a later step, or closing, makes earlier answers void

  const show = (markup) => {
    const typed = early.isConnected ? early.elements[0].value : "";
    content.innerHTML = markup;
    const done = content.querySelector("[data-done]");
    if (done) return location.assign(done.dataset.done);
    const wait = content.querySelector("[data-wait]");
    if (wait) return setTimeout(step, WAIT, wait.dataset.wait, {}, turn);
    const field = content.querySelector('[type="checkbox"], input:not([type="hidden"])');
    (field ?? content).focus();
    if (!typed) return;
    field.value = typed;
    if (isEntered) field.form.requestSubmit();
  };

  const step = async (address, options = {}, from = ++turn) => {
    if (from !== turn) return;
    try {
      const response = await reader.send(address, { headers: HEADERS, ...options });
      const markup = await response.text();
      if (from === turn) show(markup);
    } catch (error) {
      dialog.close(); // the error's bar would be covered
      reader.showError(error, () => { dialog.showModal(); step(address, options); });
    }
  };

  const open = (address) => {
    for (const menu of document.querySelectorAll(":popover-open")) menu.hidePopover();
    early.reset();
    isEntered = false;
    content.replaceChildren(early);
    dialog.showModal();
    early.elements[0].focus();
    step(address);
  };

  dialog.addEventListener("close", () => { turn += 1; });
  content.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target === early) isEntered = true;
    else step(event.submitter?.getAttribute("formaction") ?? event.target.action, { method: "POST", body: new FormData(event.target, event.submitter) });
  });
  document.addEventListener("add", ({ detail }) => open(detail));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-add]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (content.contains(link)) step(link.href);
    else open(link.href);
  });
})();
