// Lists grow as they are read to their end (htmx): nothing moves, the focus goes on into the new rows, and an article
// that was read meanwhile does not stand there twice.
(() => {
  "use strict";
  const rows = () => [...document.querySelectorAll("[data-row][id]")];
  let growing = null; // where the focus was, and the rows there were before

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, shouldSwap } = event.detail;
    if (!shouldSwap || !target.matches("[data-more]")) return;
    growing = { focused: target.contains(document.activeElement), known: new Set(rows().map((row) => row.id)), n: rows().length };
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!growing) return;
    const { focused, known, n } = growing;
    growing = null;
    const added = rows().slice(n);
    for (const row of added) if (known.has(row.id)) row.remove();
    const first = added.find((row) => row.isConnected);
    if (focused) (first?.querySelector("[data-open]") ?? document.querySelector("[data-older]"))?.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("grown"));
  });

  // The way back leads to the stretch of the list that the article stood in, and to its row or, where only unread ones are
  // shown, to those that followed: how far down the longer list one was, to which the browser would go, is elsewhere now.
  const left = history.state?.left?.map((id) => document.getElementById(id)).find(Boolean);
  if (left) addEventListener("load", () => left.scrollIntoView({ block: "center" }), { once: true });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-row][id] [data-open]");
    const stretch = link && new URL(link.href).searchParams.get("next");
    if (!stretch?.startsWith(`${location.pathname}?`) || stretch.split("#")[0] === location.pathname + location.search) return;
    const ids = rows().map((row) => row.id);
    const from = ids.indexOf(link.closest("[data-row][id]").id);
    history.replaceState({ ...history.state, left: ids.slice(from, from + 10) }, "", `${stretch.split("#")[0]}#${ids[from]}`);
    history.scrollRestoration = "manual";
  });
})();
