// Closes a <details> menu on Escape, on a click elsewhere, and when the focus leaves it.
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
