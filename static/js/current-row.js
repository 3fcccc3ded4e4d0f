// Marks the row whose article is open in the pane (pane.js). The keyboard continues from it.
(() => {
  "use strict";
  const pane = document.querySelector("[data-pane]");
  const list = document.getElementById("main");
  if (!pane) return;

  const mark = () => {
    for (const link of list.querySelectorAll("[data-row] [data-open]")) {
      if (pane.dataset.shown?.startsWith(link.pathname)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  const focusRow = () => {
    const row = list.querySelector("[data-open][aria-current]")?.closest("[data-row]");
    if (!row) return;
    for (const other of list.querySelectorAll("[data-row].is-here")) other.classList.remove("is-here");
    row.classList.add("is-here");
    row.scrollIntoView({ block: "nearest" });
  };

  document.addEventListener("shown", () => {
    mark();
    focusRow();
  });
  for (const name of ["closed", "grown"]) document.addEventListener(name, mark);
  matchMedia("(min-width: 1200px)").addEventListener("change", focusRow);
})();
