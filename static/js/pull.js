// Pulling a list down at its top refreshes it. Touch only; css/pages.css turns off the browser's own refresh there.
(() => {
  "use strict";
  const ENOUGH = 96; // pixels to pull before letting go refreshes
  const sign = document.querySelector("[data-pull]");
  const list = document.querySelector("main:has([data-rows])");
  if (!list || !sign) return;
  document.documentElement.dataset.pulls = "";
  let start = null; // { x, y }
  let by = 0;

  const show = () => {
    sign.hidden = !by;
    sign.style.setProperty("--by", `${Math.min(by, 1.5 * ENOUGH) / 2}px`);
    sign.toggleAttribute("data-enough", by >= ENOUGH);
  };
  const end = () => {
    start = null;
    by = 0;
    show();
  };

  list.addEventListener("touchstart", ({ touches, target }) => {
    const isTop = scrollY <= 0 && list.scrollTop <= 0 && visualViewport.scale < 1.05;
    const canPull = touches.length === 1 && isTop && !target.closest("input, textarea, select, details[open], .choice");
    start = canPull ? { x: touches[0].clientX, y: touches[0].clientY } : null;
  }, { passive: true });
  list.addEventListener("touchmove", ({ touches }) => {
    if (!start) return;
    const [dx, dy] = [touches[0].clientX - start.x, touches[0].clientY - start.y];
    if (touches.length > 1 || scrollY > 0 || (!by && (dy < -4 || Math.abs(dx) > Math.max(dy, 10)))) return end();
    by = dy > 10 ? dy : 0;
    show();
  }, { passive: true });
  list.addEventListener("touchcancel", end);
  list.addEventListener("touchend", () => {
    if (by < ENOUGH) return end();
    start = null;
    reader.announce(sign.dataset.words);
    location.reload();
  });
})();
