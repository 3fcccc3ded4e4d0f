// Polls while a worker updates the Today page. A newer version is offered, not swapped in, unless there was none yet.
(() => {
  "use strict";
  const INTERVAL = 3000; // milliseconds
  const MAX_POLLS = 200; // ten minutes
  const place = document.querySelector("[data-renewing]");
  const state = () => place.querySelector("[data-made]").dataset;
  if (!place || state().over === "true") return;
  const shown = state().made;
  const { pathname } = location; // the article's, once one is open beside the list
  let nPolls = 0;

  const poll = async () => {
    nPolls += 1;
    try {
      const headers = { "X-Fragment": "state" };
      const response = document.hidden ? null : await reader.send(pathname, { headers });
      if (response) show(await response.text());
    } catch (error) {
      reader.showError(error); // hidden again when the next request succeeds
    }
    const { made, over } = state();
    if (made !== shown) arrived();
    else if (over !== "true" && nPolls < MAX_POLLS) setTimeout(poll, INTERVAL);
  };

  // Unchanged text stays, so that screen readers don't repeat it.
  const show = (markup) => {
    const next = document.createElement("div");
    next.innerHTML = markup;
    const isNew = next.textContent !== place.textContent || next.firstElementChild.dataset.made !== shown;
    if (isNew) place.replaceChildren(...next.childNodes);
  };

  // The age of the newer version would seem to be that of the shown one, so it is hidden.
  const arrived = () => {
    if (!shown) return location.assign(pathname);
    place.hidden = true;
    document.querySelector("[data-newer]").hidden = false;
  };

  setTimeout(poll, INTERVAL / 2);
})();
