// The image proxy refuses images while it is busy (503). They are retried with growing delays. The browser caches
// missing ones (404). An image that didn't load leaves neither an icon nor its place; a feed's icon, its letter.
(() => {
  "use strict";
  const TRIES = 4;
  const tried = new WeakMap();
  const retry = (picture) => {
    picture.classList.add("is-broken");
    const nTries = tried.get(picture) ?? 0;
    const address = picture.currentSrc || picture.src;
    if (nTries >= TRIES || !address || new URL(address, document.baseURI).origin !== location.origin) return;
    tried.set(picture, nTries + 1);
    setTimeout(() => picture.setAttribute("src", picture.getAttribute("src") ?? ""), 2000 * 2 ** nTries);
  };
  const replaceByLetter = (icon) => {
    const letter = document.createElement("span");
    letter.className = icon.className;
    letter.ariaHidden = "true";
    letter.textContent = icon.dataset.letter;
    icon.replaceWith(letter);
  };
  const handle = (picture) => (picture.dataset.letter ? replaceByLetter(picture) : retry(picture));
  document.addEventListener("error", ({ target }) => target instanceof HTMLImageElement && handle(target), true);
  const note = (picture) => {
    picture.classList.remove("is-broken");
    if (picture.matches(".body *")) picture.classList.add("is-loaded"); // before, article.css reserves its place
  };
  document.addEventListener("load", ({ target }) => target instanceof HTMLImageElement && note(target), true);
  for (const picture of document.querySelectorAll("img[src]")) {
    if (picture.complete && picture.naturalWidth) note(picture);
    if (picture.complete && picture.naturalWidth === 0) picture.decode().catch(() => handle(picture)); // or an SVG
  }
})();
