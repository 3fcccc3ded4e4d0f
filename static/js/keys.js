// j and k (n and p) walk through a list; o opens, v the original, t the story, w why; m marks read, s stars, l likes, d
// dislikes, x skips, z takes that back; u goes back.
(() => {
  "use strict";
  const rows = () => [...document.querySelectorAll("[data-row]")];
  const here = () => document.activeElement?.closest("[data-row]") ?? document.querySelector("[data-row].is-here");

  const walk = (step, from = here()) => {
    const all = rows();
    if (!all.length) return;
    const place = all.indexOf(from);
    const next = place < 0 ? all[step > 0 ? 0 : all.length - 1] : all[place + step];
    if (next) stand(next, all);
    else if (step > 0) document.querySelector("[data-older]")?.focus();
  };

  const stand = (next, all) => {
    for (const row of all) row.classList.toggle("is-here", row === next);
    const link = next.querySelector("[data-open]");
    link.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };

  // What the focused row or, without rows, the article offers.
  const press = (selector) => (rows().length ? here() : document)?.querySelector(selector)?.click();

  const keys = {
    j: () => walk(1),
    n: () => walk(1),
    k: () => walk(-1),
    p: () => walk(-1),
    o: () => press("[data-open]"),
    v: () => press("[data-original]"),
    m: () => press('[data-act="read"], [data-keep-unread]'),
    l: () => press('[data-act="liked"]'),
    d: () => press('[data-act="disliked"]'),
    x: () => press('[data-act="skipped"], [data-skip]'),
    z: () => document.querySelector("[data-toast] [data-undo]:enabled, .message [data-undo]")?.click(),
    w: () => press("[data-why]"),
    s: () => press('[data-act="star"]'),
    t: () => press("[data-story]"),
    u: () => document.querySelector("[data-back]")?.click(),
  };

  document.addEventListener("walk", ({ detail: { from, to } }) => (to ? stand(to, rows()) : walk(1, from)));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable], audio, video")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
})();
