// Closes a <details> menu on Escape, on a click elsewhere, and when the focus leaves it; a popover when a link in it is
// followed, which may open beside it or in another tab.
(() => {
  "use strict";
  const openOne = (target) => target.closest("[data-menu][open]");

  document.addEventListener("click", ({ target }) => {
    for (const menu of document.querySelectorAll("[data-menu][open]")) if (!menu.contains(target)) menu.open = false;
    target.closest("[popover] a")?.closest("[popover]").hidePopover();
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
