// Ask how far an import, a rule or an article's text is, every two seconds, until it is over or waits for an answer.
// Without scripts the page reloads itself instead.
(() => {
  "use strict";
  const isOver = (place) => place.querySelector("[data-over]")?.dataset.over === "true";

  const ask = async (place, address) => {
    if (!place.isConnected) return; // another article stands there now
    try {
      const answer = await reader.send(address, { headers: { "X-Fragment": "progress" } });
      place.innerHTML = await answer.text();
    } catch (trouble) {
      reader.tell(trouble); // the next question may be answered, and takes the words away
    }
    if (place.querySelector("[data-reload]")) location.reload();
    else if (!isOver(place)) setTimeout(ask, 2000, place, address);
  };

  const begin = () => {
    const place = document.querySelector("[data-progress]");
    if (place && !isOver(place)) setTimeout(ask, 1000, place, location.href);
  };
  begin();
  document.addEventListener("shown", begin); // an article beside its list
})();
