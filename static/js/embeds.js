// Players of other sites: a click loads one in place of its link. Until then nothing is requested from its site.
(() => {
  "use strict";
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-embed]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const frame = document.createElement("iframe");
    frame.className = "embed-frame";
    frame.title = link.dataset.embedTitle;
    frame.allow = "autoplay; encrypted-media; fullscreen; picture-in-picture";
    frame.src = link.dataset.embed;
    for (const other of document.querySelectorAll("[data-player] :is(audio, video)")) other.pause();
    link.replaceWith(frame);
    frame.focus();
  });
})();
