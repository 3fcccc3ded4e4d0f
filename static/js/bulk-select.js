// Selecting several feeds: shift-click selects a range, and the number of selected feeds is shown.
(() => {
  "use strict";
  const form = document.getElementById("many");
  const boxes = [...document.querySelectorAll('input[name="feed"][form="many"]')];
  if (!form || !boxes.length) return;
  const all = form.elements.all;
  const status = document.createElement("span");
  status.className = "bulk-status";
  status.setAttribute("role", "status");
  form.querySelector(".many-line").prepend(status);
  let last = null;

  const showCount = () => {
    const n = boxes.filter((box) => box.checked).length;
    status.textContent = n && !all.checked ? form.dataset.wordsChosen.replace("{n}", n) : "";
  };

  for (const box of boxes) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey && last && last !== box) {
        const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
        for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
      }
      last = box;
      showCount();
    });
  }
  all.addEventListener("change", showCount);
  showCount();
})();
