// Tells which rows were on the screen, and when one is opened, which stood above it there. Scrolling past is only seen.
(() => {
  "use strict";
  const rows = [...document.querySelectorAll("[data-row][id]")];
  const token = document.querySelector("[data-acts] [name=csrfmiddlewaretoken]");
  if (!rows.length || !token) return;
  const MOST = 200; // ids at a time, as the server takes them
  const number = (row) => row.id.slice(1);
  const visible = new Set();
  const waiting = new Set();
  const sent = new Set();

  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) visible.add(target);
      else visible.delete(target);
      if (isIntersecting && !sent.has(target)) waiting.add(target);
    }
  }, { threshold: 0.6 });
  rows.forEach((row) => observer.observe(row));

  const tell = (opened) => {
    const seen = [...waiting].slice(0, MOST);
    if (!seen.length && !opened) return;
    const body = new FormData();
    body.set("csrfmiddlewaretoken", token.value);
    body.set("ids", seen.map(number).join());
    if (opened) {
      const above = rows.slice(0, rows.indexOf(opened)).filter((row) => visible.has(row));
      body.set("opened", number(opened));
      body.set("above", above.slice(-MOST).map(number).join());
    }
    for (const row of seen) {
      waiting.delete(row);
      sent.add(row);
    }
    navigator.sendBeacon("/seen/", body);
  };

  const open = (event) => {
    const row = event.target.closest("[data-open]")?.closest("[data-row]");
    if (row && event.button < 2) tell(row);
  };
  document.addEventListener("click", open);
  document.addEventListener("auxclick", open);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") tell(null); });
})();
