// Infinite scrolling (htmx): keeps the position and the focus, and removes rows that the list already has.
(() => {
  "use strict";
  const rows = () => [...document.querySelectorAll("main [data-row][id]")];
  let growing = null; // the focus and the rows before the swap

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, shouldSwap } = event.detail;
    if (!shouldSwap || !target.matches("[data-more]")) return;
    const known = new Set(rows().map((row) => row.id));
    growing = { focused: target.contains(document.activeElement), known, n: rows().length };
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!growing) return;
    const { focused, known, n } = growing;
    growing = null;
    const added = rows().slice(n);
    for (const row of added) if (known.has(row.id)) row.remove();
    const first = added.find((row) => row.isConnected);
    const next = first?.querySelector("[data-open]") ?? document.querySelector("[data-older]");
    if (focused) next?.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("grown"));
  });

  // Back from an article leads to the part of the list that had its row. If the row is gone (unread only), scroll to
  // one of those that followed it. The browser's own scroll position belongs to the longer list.
  const left = history.state?.left?.map((id) => document.getElementById(id)).find(Boolean);
  if (left) addEventListener("load", () => left.scrollIntoView({ block: "center" }), { once: true });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("main [data-row][id] [data-open]");
    const stretch = link && new URL(link.href).searchParams.get("next");
    if (document.querySelector("[data-pane]")?.checkVisibility()) return; // the list stays (scroll-position.js)
    if (!stretch?.startsWith(`${location.pathname}?`)) return;
    if (stretch.split("#")[0] === location.pathname + location.search) return;
    const ids = rows().map((row) => row.id);
    const from = ids.indexOf(link.closest("[data-row][id]").id);
    const left = ids.slice(from, from + 10);
    history.replaceState({ ...history.state, left }, "", `${stretch.split("#")[0]}#${ids[from]}`);
    history.scrollRestoration = "manual";
  });
})();
