// Pictures of an article open large, with the others one key or swipe away. The browser zooms, and returns the focus.
(() => {
  "use strict";
  const LEAST = 160; // pixels of width; smaller ones are icons
  const SWIPE = 50; // pixels
  const box = document.querySelector("[data-lightbox]");
  const find = (name) => box.querySelector(`[data-lightbox-${name}]`);
  let pictures = [];
  let at = 0;
  let start = null; // of a swipe

  const isPicture = (target) => target instanceof HTMLImageElement && target.naturalWidth >= LEAST
    && target.matches(".article :is(.body, .lead-image) img:not(.is-broken)");

  // A link around a picture has the focus itself.
  const prepare = (picture) => {
    if (!isPicture(picture) || picture.closest("a, button, summary")) return;
    picture.tabIndex = 0;
    picture.role = "button";
    if (!picture.alt) picture.ariaLabel = box.dataset.wordsOpen;
  };

  const show = (place) => {
    at = (place + pictures.length) % pictures.length;
    const [picture, image] = [pictures[at], find("image")];
    const caption = picture.closest("figure")?.querySelector("figcaption")?.textContent.trim() || picture.alt;
    for (const name of ["srcset", "src", "alt"]) image[name] = picture[name];
    find("caption").textContent = caption;
    find("count").textContent = pictures.length > 1 ? `${at + 1} / ${pictures.length}` : "";
    const link = picture.closest("a[href]");
    find("link").hidden = !link;
    if (link) find("link").href = link.href;
    for (const name of ["previous", "next"]) find(name).hidden = pictures.length < 2;
  };

  const open = (picture) => {
    pictures = [...picture.closest(".article").querySelectorAll("img")].filter(isPicture);
    show(pictures.indexOf(picture));
    box.showModal();
  };

  // Before other listeners, which would follow the picture's link.
  document.addEventListener("click", (event) => {
    if (!isPicture(event.target) || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(event.target);
  }, true);
  document.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key) || !isPicture(event.target)) return;
    event.preventDefault();
    open(event.target);
  });

  box.addEventListener("keydown", ({ key }) => {
    const isRtl = getComputedStyle(box).direction === "rtl";
    if (key === "ArrowLeft") show(at + (isRtl ? 1 : -1));
    if (key === "ArrowRight") show(at + (isRtl ? -1 : 1));
  });
  find("previous").addEventListener("click", () => show(at - 1));
  find("next").addEventListener("click", () => show(at + 1));
  box.addEventListener("click", ({ target }) => { if (target === box || target.matches("figure, img")) box.close(); });
  box.addEventListener("close", () => { for (const name of ["srcset", "src"]) find("image").removeAttribute(name); });
  box.addEventListener("pointerdown", ({ pointerType, isPrimary, clientX }) => {
    start = pointerType === "touch" && isPrimary && visualViewport.scale < 1.05 ? clientX : null;
  });
  box.addEventListener("pointerup", ({ clientX }) => {
    const by = start === null ? 0 : clientX - start;
    start = null;
    if (Math.abs(by) >= SWIPE) show(at + (by < 0 ? 1 : -1));
  });

  document.addEventListener("load", ({ target }) => prepare(target), true);
  for (const picture of document.images) prepare(picture);
})();
