// The View menu: a click on a choice applies it at once; by keyboard, closing the menu or Enter does.
(() => {
  "use strict";
  const form = document.querySelector("[data-view]");
  if (!form) return;
  const menu = form.closest("details");
  let isPointer = false;
  let isChanged = false;
  form.addEventListener("pointerdown", () => { isPointer = true; });
  form.addEventListener("keydown", () => { isPointer = false; });
  form.addEventListener("change", () => {
    isChanged = true;
    if (isPointer || !menu.open) form.requestSubmit();
  });
  menu.addEventListener("toggle", () => { if (!menu.open && isChanged && !isPointer) form.requestSubmit(); });
})();
