// A menu that is a <details>: Escape, a press elsewhere and leaving it by Tab close it. Without this, pressing it again does.
(() => {
  "use strict";
  for (const menu of document.querySelectorAll("[data-menu]")) {
    const close = (focus) => {
      if (!menu.open) return;
      menu.open = false;
      if (focus) menu.querySelector("summary").focus();
    };
    document.addEventListener("click", (event) => { if (!menu.contains(event.target)) close(false); });
    menu.addEventListener("keydown", (event) => { if (event.key === "Escape") close(true); });
    menu.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget)) close(false);
    });
  }
})();
