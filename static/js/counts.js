// Keeps the unread counts up to date: after changes, and when the page becomes visible again.
(() => {
  "use strict";
  const DELAY = 500; // milliseconds; several changes make one request
  const { counts: address } = document.getElementById("menu").dataset;
  let timer = 0;

  const update = async () => {
    let markup;
    try {
      markup = await (await reader.send(address, { isAside: true, headers: { "X-Fragment": "counts" } })).text();
    } catch (error) {
      if (!error.kind) throw error;
      return; // a background request fails silently
    }
    for (const now of new DOMParser().parseFromString(markup, "text/html").querySelectorAll("[data-count]")) {
      for (const shown of document.querySelectorAll(`[data-count="${now.dataset.count}"]`)) {
        if (shown.textContent.trim() === now.textContent.trim()) continue;
        shown.replaceChildren(...now.cloneNode(true).childNodes);
      }
    }
  };

  const updateSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(update, DELAY);
  };

  for (const name of ["changed", "opened"]) document.addEventListener(name, updateSoon);
  window.addEventListener("pageshow", (event) => { if (event.persisted) updateSoon(); });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") updateSoon(); });
})();
