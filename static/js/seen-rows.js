// Reports which rows were on screen and, when one is opened, which visible rows were above it. Opening the publisher's
// page from a row counts as opening the article. If the user chose so, rows scrolled past are marked read.
(() => {
  "use strict";
  const rows = () => [...document.querySelectorAll('main [data-row][id^="a"]')];
  const token = document.querySelector("[data-acts] [name=csrfmiddlewaretoken]");
  if (!rows().length || !token) return;
  const MAX_IDS = 200; // per request; the server's limit
  const DELAY = 1500; // milliseconds before rows scrolled past are reported
  const readsPast = document.documentElement.dataset.scroll === "read";
  const number = (row) => row.id.slice(1);
  const watched = new Set();
  const visible = new Set();
  const waiting = new Set();
  const passed = new Set();
  const sent = new Set();
  let timer = 0;

  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      if (isIntersecting) visible.add(target);
      else if (visible.delete(target) && readsPast && boundingClientRect.top < 0) pass(target);
      if (isIntersecting && !sent.has(target)) waiting.add(target);
    }
  }, { threshold: 0.6 });

  const watch = () => {
    for (const row of rows()) {
      if (!watched.has(row)) observer.observe(row);
      watched.add(row);
    }
  };
  watch();
  document.addEventListener("grown", watch);

  const pass = (row) => {
    const button = row.matches("[data-rows] > :not(.is-read)") ? row.querySelector('[data-act="read"]') : null;
    if (!button || button.getAttribute("aria-pressed") === "true") return;
    button.setAttribute("aria-pressed", "true");
    button.value = "0";
    row.classList.add("is-read");
    passed.add(row);
    clearTimeout(timer);
    timer = setTimeout(() => send(null), DELAY);
  };

  const send = (opened, isOriginal = false) => {
    if (!navigator.onLine) return; // sent once online again
    const seen = [...waiting].slice(0, MAX_IDS);
    const read = [...passed].slice(0, MAX_IDS);
    if (!seen.length && !read.length && !opened) return;
    const body = new FormData();
    body.set("csrfmiddlewaretoken", token.value);
    body.set("ids", seen.map(number).join());
    if (read.length) body.set("passed", read.map(number).join());
    if (opened) {
      const all = rows();
      const above = all.slice(0, all.indexOf(opened)).filter((row) => visible.has(row));
      body.set("opened", number(opened));
      if (isOriginal) body.set("original", "1");
      body.set("above", above.slice(-MAX_IDS).map(number).join());
    }
    for (const row of read) passed.delete(row);
    for (const row of seen) {
      waiting.delete(row);
      sent.add(row);
    }
    navigator.sendBeacon(token.form.dataset.seen, body);
    if (read.length || isOriginal) document.dispatchEvent(new CustomEvent("changed"));
  };

  const open = (event) => {
    const link = event.target.closest("[data-open], [data-original]");
    const row = link?.closest('main [data-row][id^="a"]');
    if (row && event.button < 2) send(row, link.matches("[data-original]"));
  };
  document.addEventListener("click", open);
  document.addEventListener("auxclick", open);
  window.addEventListener("online", () => send(null));
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") send(null); });
})();
