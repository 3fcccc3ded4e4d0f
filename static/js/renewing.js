// While a worker makes the front page anew: asks how far it is. What is being read stays where it is: a newer page is
// offered, and shown by itself only where there was none.
(() => {
  "use strict";
  const EVERY = 3000; // milliseconds
  const MOST = 200; // questions; ten minutes
  const place = document.querySelector("[data-renewing]");
  const state = () => place.querySelector("[data-made]").dataset;
  if (!place || state().over === "true") return;
  const shown = state().made;
  let n = 0;

  const ask = async () => {
    n += 1;
    try {
      const answer = document.hidden ? null : await reader.send(location.pathname, { headers: { "X-Fragment": "state" } });
      if (answer) show(await answer.text());
    } catch (trouble) {
      reader.tell(trouble); // the next question may be answered, and takes the words away
    }
    const { made, over } = state();
    if (made !== shown) arrived();
    else if (over !== "true" && n < MOST) setTimeout(ask, EVERY);
  };

  // What did not change is left alone, for those who hear it read aloud.
  const show = (markup) => {
    const next = document.createElement("div");
    next.innerHTML = markup;
    if (next.textContent !== place.textContent || next.firstElementChild.dataset.made !== shown) place.replaceChildren(...next.childNodes);
  };

  // How old the newer one is would be said of the one that is shown.
  const arrived = () => {
    if (!shown) return location.reload();
    place.hidden = true;
    document.querySelector("[data-newer]").hidden = false;
  };

  setTimeout(ask, EVERY / 2);
})();
