// Adds and removes the conditions of a rule without a request.
(() => {
  "use strict";
  const list = document.querySelector("[data-rule-rows]");
  const rows = () => [...list.querySelectorAll("[data-rule-row]")];

  document.querySelector("[data-rule-add]").addEventListener("click", (event) => {
    event.preventDefault();
    const last = rows().at(-1);
    const added = last.cloneNode(true);
    for (const name of ["field", "test"]) added.querySelector(`[name=${name}]`).value = last.querySelector(`[name=${name}]`).value;
    added.querySelector("[name=value]").value = "";
    list.append(added);
    added.querySelector("[name=field]").focus();
  });

  list.addEventListener("click", (event) => {
    const button = event.target.closest("[data-rule-remove]");
    if (!button) return;
    event.preventDefault();
    const row = button.closest("[data-rule-row]");
    const all = rows();
    if (all.length > 1) row.remove();
    else row.querySelector("[name=value]").value = "";
    (all[all.indexOf(row) + 1] ?? rows().at(-1)).querySelector("[name=value]").focus();
    reader.announce(list.dataset.wordsRemoved);
  });
})();
