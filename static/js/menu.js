// A menu that is a <details>: Escape, a press elsewhere and leaving it by Tab close it. Without this, pressing it again does.
(() => {
  "use strict";
  const openOne = (target) => target.closest("[data-menu][open]");

  document.addEventListener("click", ({ target }) => {
    for (const menu of document.querySelectorAll("[data-menu][open]")) if (!menu.contains(target)) menu.open = false;
  });
  document.addEventListener("keydown", ({ key, target }) => {
    const menu = key === "Escape" ? openOne(target) : null;
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    const menu = openOne(target);
    if (menu && relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
  });
})();
