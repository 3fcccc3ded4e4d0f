// What is unread, as it is now: once something was read or put back, and when a page is shown again that stood aside.
(() => {
  "use strict";
  const SOON = 500; // milliseconds; several acts at once ask once
  const { counts: address } = document.getElementById("menu").dataset;
  let timer = 0;

  const renew = async () => {
    let markup;
    try {
      markup = await (await reader.send(address, { isAside: true, headers: { "X-Fragment": "counts" } })).text();
    } catch (trouble) {
      if (!trouble.kind) throw trouble;
      return; // nobody asked for it, so nobody is told
    }
    for (const now of new DOMParser().parseFromString(markup, "text/html").querySelectorAll("[data-count]")) {
      for (const shown of document.querySelectorAll(`[data-count="${now.dataset.count}"]`)) {
        if (shown.textContent.trim() !== now.textContent.trim()) shown.replaceChildren(...now.cloneNode(true).childNodes);
      }
    }
  };

  const renewSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(renew, SOON);
  };

  for (const name of ["changed", "opened"]) document.addEventListener(name, renewSoon);
  window.addEventListener("pageshow", (event) => { if (event.persisted) renewSoon(); });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") renewSoon(); });
})();
