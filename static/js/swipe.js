// Swiping a row right stars it, left marks it read; both can be undone. Vertical scrolling stays with the browser
// (touch-action in components.css). With reduced motion, only the row's colour changes.
(() => {
  "use strict";
  const THRESHOLD = 72; // pixels to swipe before letting go acts
  const SLACK = 10; // pixels before a tap becomes a swipe
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let swipe = null; // { row, x, y, by }

  // Said once on each device, until a swipe shows that it's known.
  const hint = document.querySelector("[data-hint]");
  const KNOWN = "swipes known";
  const learn = () => {
    hint.hidden = true;
    try { localStorage.setItem(KNOWN, "1"); } catch { /* said again next time */ }
  };
  hint.querySelector("button").addEventListener("click", learn);
  try {
    const isTouch = matchMedia("(hover: none) and (max-width: 799px)").matches;
    hint.hidden = !isTouch || !!localStorage.getItem(KNOWN) || !document.querySelector('main .row > .row-acts [data-act="star"]');
  } catch { /* no storage: no hint */ }

  const button = (row, by) => row.querySelector(by > 0 ? '[data-act="star"]' : '[data-act="read"]');

  const show = ({ row, by }) => {
    if (!still.matches) row.style.setProperty("translate", `${by}px 0`);
    row.dataset.swipe = by > 0 ? "star" : "read";
    row.toggleAttribute("data-swipe-enough", Math.abs(by) >= THRESHOLD);
  };

  const end = () => {
    if (!swipe) return;
    const { row } = swipe;
    swipe = null;
    row.style.removeProperty("translate");
    delete row.dataset.swipe;
    row.removeAttribute("data-swipe-enough");
  };

  document.addEventListener("pointerdown", (event) => {
    const row = event.target.closest("[data-row]:has(> .row-acts, > .topic-foot > .row-acts)");
    if (event.pointerType !== "touch" || !event.isPrimary || !row || event.target.closest("button, .choice")) return;
    swipe = { row, x: event.clientX, y: event.clientY, by: 0 };
  });

  document.addEventListener("pointermove", (event) => {
    if (!swipe || !event.isPrimary) return;
    const by = event.clientX - swipe.x;
    if (!swipe.by && Math.abs(event.clientY - swipe.y) > Math.abs(by)) return end();
    if (!swipe.by && Math.abs(by) < SLACK) return;
    if (!button(swipe.row, by)) return;
    swipe.by = by || 1;
    show(swipe);
  });

  document.addEventListener("pointercancel", end);

  document.addEventListener("pointerup", () => {
    if (!swipe?.by) return end();
    const { row, by } = swipe;
    end();
    // The tap that ends a swipe must not open the article.
    const swallow = (event) => {
      if (!row.contains(event.target) || event.target.closest("button")) return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("click", swallow, { capture: true });
    setTimeout(() => document.removeEventListener("click", swallow, { capture: true }), 50);
    if (Math.abs(by) < THRESHOLD) return;
    learn();
    const act = button(row, by);
    act.dataset.swiped = "yes";
    act.click();
  });
})();
