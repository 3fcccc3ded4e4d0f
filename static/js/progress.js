// Ask how far an import is, every two seconds, until it is over. Without scripts the page reloads itself instead.
(() => {
  "use strict";
  const place = document.querySelector("[data-progress]");
  const isOver = () => place.querySelector("[data-over]")?.dataset.over === "true";
  if (!place || isOver()) return;

  const ask = async () => {
    try {
      const answer = await fetch(location.href, { headers: { "X-Fragment": "progress" } });
      if (answer.ok && !answer.redirected) place.innerHTML = await answer.text();
    } catch {
      // Offline for a moment: the next question may be answered.
    }
    if (!isOver()) setTimeout(ask, 2000);
  };
  setTimeout(ask, 1000);
})();
