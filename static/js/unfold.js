// "4 more sources" opens the other articles of a story under its row, and closes them again. They are asked for once, when
// they are first wanted (htmx). Without this it is a link to the story's own page.
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
    for (const link of document.querySelectorAll("[data-unfold]:not([aria-expanded])")) link.setAttribute("aria-expanded", "false");
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
    if (target.matches("[data-unfolded]")) show(document.querySelector(`[data-unfold][aria-controls="${target.id}"]`), true);
  });
})();
