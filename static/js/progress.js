// Ask how far an import, or a rule, is, every two seconds, until it is over or waits for an answer. Without scripts the
// page reloads itself instead.
(() => {
  "use strict";
  const place = document.querySelector("[data-progress]");
  const isOver = () => place.querySelector("[data-over]")?.dataset.over === "true";
  if (!place || isOver()) return;

  const ask = async () => {
    try {
      const answer = await reader.send(location.href, { headers: { "X-Fragment": "progress" } });
      place.innerHTML = await answer.text();
    } catch (trouble) {
      reader.tell(trouble); // the next question may be answered, and takes the words away
    }
    if (place.querySelector("[data-reload]")) location.reload();
    else if (!isOver()) setTimeout(ask, 2000);
  };
  setTimeout(ask, 1000);
})();
