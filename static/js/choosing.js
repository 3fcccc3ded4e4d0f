// Choosing several feeds: shift takes all between two, and how many are chosen is said beside the acts.
(() => {
  "use strict";
  const form = document.getElementById("many");
  const boxes = [...document.querySelectorAll('input[name="feed"][form="many"]')];
  if (!form || !boxes.length) return;
  const all = form.elements.all;
  const told = document.createElement("span");
  told.className = "many-told";
  told.setAttribute("role", "status");
  form.querySelector(".many-line").prepend(told);
  let last = null;

  const tell = () => {
    const n = boxes.filter((box) => box.checked).length;
    told.textContent = n && !all.checked ? form.dataset.wordsChosen.replace("{n}", n) : "";
  };

  for (const box of boxes) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey && last && last !== box) {
        const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
        for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
      }
      last = box;
      tell();
    });
  }
  all.addEventListener("change", tell);
  tell();
})();
