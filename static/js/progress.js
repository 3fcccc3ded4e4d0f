// Polls the progress of an import, a rule or a full text every two seconds until it is done or needs input. Without
// scripts the page reloads itself.
(() => {
  "use strict";
  const isOver = (place) => place.querySelector("[data-over]")?.dataset.over === "true";

  // An import brings the folders and feeds that it added so far.
  const updateSidebar = (template) => {
    const shelves = document.querySelector("[data-shelves]");
    if (!template || !shelves || shelves.contains(document.activeElement)) return;
    shelves.replaceChildren(template.content);
    document.dispatchEvent(new CustomEvent("changed")); // the other counts
  };

  const poll = async (place, address) => {
    if (!place.isConnected) return; // another article is shown now
    try {
      const response = await reader.send(address, { headers: { "X-Fragment": "progress" } });
      place.innerHTML = await response.text();
      updateSidebar(place.querySelector("template"));
      document.dispatchEvent(new CustomEvent("progressed"));
    } catch (error) {
      reader.showError(error); // hidden again when the next request succeeds
    }
    if (place.querySelector("[data-reload]")) location.reload();
    else if (!isOver(place)) setTimeout(poll, 2000, place, address);
  };

  const begin = () => {
    const place = document.querySelector("[data-progress]");
    if (place && !isOver(place)) setTimeout(poll, 1000, place, location.href);
  };
  begin();
  document.addEventListener("shown", begin); // an article in the pane
})();
