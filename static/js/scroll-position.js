// A list with its own scrollbar (columns.css) behaves like a page: it keeps its position on reload and back, and the
// scroll keys work.
(() => {
  "use strict";
  const KEYS = [" ", "PageDown", "PageUp", "End", "Home"];
  const list = document.querySelector("[data-pane]") && document.getElementById("main");
  if (!list) return;
  const name = `place in ${location.pathname}${location.search}`;
  const [loading] = performance.getEntriesByType("navigation");

  try {
    if (loading.type !== "navigate" && !location.hash) list.scrollTop = sessionStorage.getItem(name);
    window.addEventListener("pagehide", () => sessionStorage.setItem(name, list.scrollTop));
  } catch { /* no storage: the list starts at its top */ }

  document.addEventListener("keydown", ({ key, target }) => {
    if (!KEYS.includes(key) || target !== document.body) return;
    if (getComputedStyle(list).overflowY === "auto") list.focus({ preventScroll: true });
  });
})();
