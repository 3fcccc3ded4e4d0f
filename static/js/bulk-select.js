// Selecting several feeds: shift-click selects a range, and the number of selected feeds is shown. The table may be
// replaced while one types a filter.
(() => {
  "use strict";
  let last = null;
  const boxes = () => [...document.querySelectorAll('input[name="feed"][form="many"]')];

  const showCount = () => {
    const form = document.getElementById("many");
    if (!form) return;
    const n = boxes().filter((box) => box.checked).length;
    const all = form.elements.all.checked;
    form.querySelector("[data-chosen]").textContent = n && !all ? form.dataset.wordsChosen.replace("{n}", n) : "";
  };

  document.addEventListener("click", ({ target, shiftKey }) => {
    if (!target.matches('input[name="feed"][form="many"]')) return;
    const every = boxes();
    if (shiftKey && every.includes(last) && last !== target) {
      const [from, to] = [every.indexOf(last), every.indexOf(target)].sort((a, b) => a - b);
      for (const between of every.slice(from, to + 1)) between.checked = target.checked;
    }
    last = target;
    showCount();
  });
  // Enter in a checkbox would press the form's first button.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches('input[type="checkbox"][form="many"]')) event.preventDefault();
  });
  document.addEventListener("change", ({ target }) => { if (target.form?.id === "many") showCount(); });
  showCount();
})();
