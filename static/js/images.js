// The image proxy refuses images while it is busy (503). They are retried with growing delays. The browser caches
// missing ones (404). An image that didn't load leaves neither an icon nor its place; a feed's icon, its letter; an
// article's picture, its description with a link to it.
(() => {
  "use strict";
  const TRIES = 4;
  const tried = new WeakMap();
  // The publisher's address: the last part of ours, in base64.
  const originalOf = (address) => {
    const { origin, pathname } = new URL(address, document.baseURI);
    if (origin !== location.origin || !pathname.includes("/img/")) return address;
    const bytes = atob(pathname.split("/").pop().replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  };
  const describe = (picture, address) => {
    const around = picture.closest("a") ?? picture;
    if (!picture.matches(".article :is(.body, .lead-image) img") || around.nextElementSibling?.matches("[data-instead]")) return;
    const link = document.createElement("a");
    link.className = "instead-of-picture";
    link.dataset.instead = "";
    if (/^https?:/.test(address)) link.href = originalOf(address);
    link.rel = "noopener noreferrer";
    link.target = "_blank";
    link.textContent = picture.alt || document.querySelector("[data-lightbox]")?.dataset.wordsOpen;
    around.after(link);
  };
  const retry = (picture) => {
    picture.classList.add("is-broken");
    const nTries = tried.get(picture) ?? 0;
    const address = picture.currentSrc || picture.src;
    describe(picture, address);
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
    const instead = (picture.closest("a") ?? picture).nextElementSibling;
    if (instead?.matches("[data-instead]")) instead.remove();
    if (picture.matches(".article *")) picture.classList.add("is-loaded"); // before, article.css reserves its place
  };
  document.addEventListener("load", ({ target }) => target instanceof HTMLImageElement && note(target), true);
  for (const picture of document.querySelectorAll("img[src]")) {
    if (picture.complete && picture.naturalWidth) note(picture);
    if (picture.complete && picture.naturalWidth === 0) picture.decode().catch(() => handle(picture)); // or an SVG
  }
})();
