// Menus are <details data-menu> or popovers. They close on Escape, on a click elsewhere, when a link in a popover is
// followed, which may open beside it or in another tab, and when the keyboard moves the focus out of them. A press on
// words or padding moves the focus too, but nothing may disappear below a press: that ends the tab in Chromium.
(() => {
  "use strict";
  const openMenus = () => document.querySelectorAll("[data-menu][open]");

  document.addEventListener("click", ({ target }) => {
    for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false;
    target.closest("[popover] a")?.closest("[popover]").hidePopover();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    for (const menu of openMenus()) {
      event.preventDefault(); // closes nothing else
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("focusin", ({ target }) => {
    if (!target.matches(":focus-visible")) return;
    for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false;
    for (const popover of document.querySelectorAll(":popover-open")) {
      if (!popover.contains(target) && target.popoverTargetElement !== popover) popover.hidePopover();
    }
  });
})();
