// A list with its own scrollbar (columns.css) behaves like a page: it keeps its rows and its position on reload and
// back, and the scroll keys work.
(() => {
  "use strict";
  const KEYS = [" ", "PageDown", "PageUp", "End", "Home"];
  const pane = document.querySelector("[data-pane]");
  const list = pane && document.getElementById("main");
  if (!list) return;
  const MAX_ROWS = 500; // loaded again
  const name = `place in ${location.pathname}${location.search}`;
  const [loading] = performance.getEntriesByType("navigation");

  const countRows = () => list.querySelectorAll("[data-row][id]").length;

  // Loads as many rows as there were, page by page.
  const restore = (top, n) => {
    list.scrollTop = top;
    if (countRows() >= Math.min(n, MAX_ROWS)) return;
    document.addEventListener("grown", () => restore(top, n), { once: true });
    list.querySelector("[data-older]")?.click();
  };

  try {
    const [top, n] = JSON.parse(sessionStorage.getItem(name)) ?? [0, 0];
    const isBack = loading.type !== "navigate" || pane.dataset.reopened;
    if (isBack && !location.hash) {
      list.scrollTop = top;
      window.addEventListener("load", () => restore(top, n), { once: true }); // htmx is ready then
    }
    window.addEventListener("pagehide", () => sessionStorage.setItem(name, JSON.stringify([list.scrollTop, countRows()])));
  } catch { /* no storage: the list starts at its top */ }

  document.addEventListener("keydown", ({ key, target }) => {
    if (!KEYS.includes(key) || target !== document.body) return;
    if (getComputedStyle(list).overflowY === "auto") list.focus({ preventScroll: true });
  });
})();
