// A finger that draws a row to the right stars it, to the left skips it; both can be taken back. Up and down stays the
// browser's (touch-action in components.css). Where no motion is wanted the row stays and only its colour tells.
(() => {
  "use strict";
  const ENOUGH = 72; // pixels to draw before letting go does something
  const SLACK = 10; // pixels before it is a swipe and no tap
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let drawn = null; // { row, x, y, by }

  const button = (row, by) => row.querySelector(by > 0 ? '[data-act="star"]' : '[data-act="skipped"]');

  const show = ({ row, by }) => {
    if (!still.matches) row.style.setProperty("translate", `${by}px 0`);
    row.dataset.swipe = by > 0 ? "star" : "skip";
    row.toggleAttribute("data-swipe-enough", Math.abs(by) >= ENOUGH);
  };

  const end = () => {
    if (!drawn) return;
    const { row } = drawn;
    drawn = null;
    row.style.removeProperty("translate");
    delete row.dataset.swipe;
    row.removeAttribute("data-swipe-enough");
  };

  document.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("[data-rows] > [data-row]");
    if (event.pointerType !== "touch" || !event.isPrimary || !row || event.target.closest("button, .choice")) return;
    drawn = { row, x: event.clientX, y: event.clientY, by: 0 };
  });

  document.addEventListener("pointermove", (event) => {
    if (!drawn || !event.isPrimary) return;
    const by = event.clientX - drawn.x;
    if (!drawn.by && Math.abs(event.clientY - drawn.y) > Math.abs(by)) return end();
    if (!drawn.by && Math.abs(by) < SLACK) return;
    if (!button(drawn.row, by)) return;
    drawn.by = by || 1;
    show(drawn);
  });

  document.addEventListener("pointercancel", end);

  document.addEventListener("pointerup", () => {
    if (!drawn?.by) return end();
    const { row, by } = drawn;
    end();
    // The tap that ends a swipe opens nothing.
    const swallow = (event) => { if (row.contains(event.target) && !event.target.closest("button")) { event.preventDefault(); event.stopPropagation(); } };
    document.addEventListener("click", swallow, { capture: true });
    setTimeout(() => document.removeEventListener("click", swallow, { capture: true }), 50);
    if (Math.abs(by) < ENOUGH) return;
    const act = button(row, by);
    act.dataset.swiped = "yes";
    act.click();
  });
})();
