// A list that scrolls by itself, beside an article (columns.css), is as good at it as a page: loaded again or come back to
// it stands where it stood, and the keys that scroll a page scroll it.
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
  } catch { /* nothing may be kept: it begins at its beginning */ }

  document.addEventListener("keydown", ({ key, target }) => {
    if (KEYS.includes(key) && target === document.body && getComputedStyle(list).overflowY === "auto") list.focus({ preventScroll: true });
  });
})();
