// "4 more sources" expands and collapses a story's other articles under its row. They are loaded once, by htmx. Without
// scripts it links to the story.
(() => {
  "use strict";
  const placeOf = (link) => document.getElementById(link.getAttribute("aria-controls"));

  const show = (link, isOpen) => {
    const place = placeOf(link);
    if (!isOpen && place.contains(document.activeElement)) link.focus();
    place.hidden = !isOpen;
    link.setAttribute("aria-expanded", String(isOpen));
    if (document.activeElement === link) return;
    const { wordsOpen, wordsClosed } = document.querySelector("[data-acts]").dataset;
    reader.announce((isOpen ? wordsOpen : wordsClosed).replace("{story}", () => link.textContent.trim()));
  };

  const prepare = () => {
    for (const link of document.querySelectorAll("[data-unfold]:not([aria-expanded])")) {
      link.setAttribute("aria-expanded", "false");
    }
  };
  prepare();
  document.addEventListener("grown", prepare);

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-unfold]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const place = placeOf(link);
    if (place.childElementCount) show(link, place.hidden);
    else if (!link.dataset.busy) {
      link.dataset.busy = "yes";
      link.dispatchEvent(new CustomEvent("unfold"));
    }
  });

  document.addEventListener("htmx:afterRequest", ({ detail: { elt } }) => { delete elt.dataset.busy; });
  document.addEventListener("htmx:afterSwap", ({ detail: { target } }) => {
    if (!target.matches("[data-unfolded]")) return;
    show(document.querySelector(`[data-unfold][aria-controls="${target.id}"]`), true);
  });
})();
