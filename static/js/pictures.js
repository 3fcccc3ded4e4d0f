// A picture that comes through the reader is refused while too many are under way (503): it is asked for again, later
// and later. One that is not there (404) is remembered by the browser, and nobody is asked for it again.
(() => {
  "use strict";
  const TRIES = 4;
  const tried = new WeakMap();
  const again = (picture) => {
    const n = tried.get(picture) ?? 0;
    const address = picture.currentSrc || picture.src;
    if (n >= TRIES || !address || new URL(address, document.baseURI).origin !== location.origin) return;
    tried.set(picture, n + 1);
    setTimeout(() => picture.setAttribute("src", picture.getAttribute("src") ?? ""), 2000 * 2 ** n);
  };
  document.addEventListener("error", ({ target }) => target instanceof HTMLImageElement && again(target), true);
  for (const picture of document.images) if (picture.complete && picture.naturalWidth === 0) again(picture);
})();
