// Keyboard shortcuts. The help dialog lists the keys (reader/preferences/shortcuts.py); the commands are defined here.
// On non-Latin layouts the physical key counts.
(() => {
  "use strict";
  const PAUSE = 1500; // milliseconds between the two keys of "g t"
  const TAKING_KEYS = "input, textarea, select, [contenteditable], audio, video, dialog[open], :popover-open";
  const table = new Map([...document.querySelectorAll("[data-key]")].map(({ dataset }) => [dataset.key, dataset]));
  const find = (selector) => document.querySelector(selector);
  const rows = () => [...document.querySelectorAll("main [data-row]")].filter((row) => row.checkVisibility());
  const here = () => document.activeElement?.closest("main [data-row]") ?? find("main [data-row].is-here");

  const walk = (step, from = here()) => {
    const all = rows();
    if (!all.length) return find(step > 0 ? "[data-next]" : "[data-previous]")?.click();
    const place = all.indexOf(from);
    const next = place < 0 ? all[step > 0 ? 0 : all.length - 1] : all[place + step];
    if (next) stand(next, all);
    else if (step > 0) find("[data-older]")?.focus();
    return next;
  };

  // With a pane, moving to the next row opens it.
  const turn = (step) => {
    const next = walk(step);
    if (find("[data-pane]")?.checkVisibility()) next?.querySelector("[data-open]").click();
  };

  const stand = (next, all) => {
    for (const row of all) row.classList.toggle("is-here", row === next);
    next.querySelector("[data-open]").focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };

  // What the article offers that has the focus beside its list, or the focused row or, without rows, the article.
  const beside = () =>
    document.activeElement?.closest("[data-pane] [data-row]") ?? find("[data-pane][data-shown]:focus-within")
    ?? (rows().length ? here() : find("[data-pane][data-shown]"));
  const offered = (selector) => (beside() ?? (rows().length ? null : document))?.querySelector(selector);
  const press = (selector) => offered(selector)?.click();
  const visit = (selector) => {
    const link = offered(selector);
    const event = new CustomEvent("visit", { cancelable: true, detail: link });
    if (link && document.dispatchEvent(event)) location.assign(link.href); // else it opens in the pane
  };

  const search = () => {
    const field = find("[data-search]");
    if (field) field.select();
    else find("[data-search-page]")?.click();
  };

  const openArticle = () => {
    const pane = find("[data-pane][data-shown]");
    if (pane) return getComputedStyle(pane).overflowY === "auto" ? pane : document.scrollingElement;
    return find("main .article") ? document.scrollingElement : null;
  };

  // A letter finds its key, more than one also what the keys do.
  const filterHelp = (typed) => {
    const help = find("dialog[data-keys]");
    const all = [...help.querySelectorAll(".keys > div")];
    const keysOf = (row) => [...row.querySelectorAll("[data-key]")].map(({ dataset }) => dataset.key);
    const wanted = typed.trim();
    const byKey = all.filter((row) => keysOf(row).some((key) => key === wanted || key.startsWith(`${wanted} `)));
    const byWords = all.filter((row) => row.textContent.toLocaleLowerCase().includes(wanted.toLocaleLowerCase()));
    const found = new Set([...wanted].length === 1 && byKey.length ? byKey : [...byKey, ...byWords]);
    for (const row of all) row.hidden = !found.has(row);
    for (const group of help.querySelectorAll("section")) group.hidden = !group.querySelector(".keys > div:not([hidden])");
    help.querySelector("[data-no-keys]").hidden = found.size > 0;
  };
  find("[data-find-key]")?.addEventListener("input", ({ target }) => filterHelp(target.value));

  const showHelp = () => {
    const help = find("dialog[data-keys]");
    if (!help) return;
    help.querySelector("[data-find-key]").value = "";
    filterHelp("");
    help.showModal();
  };

  // The next feed or folder that the sidebar shows; the next folder if all are closed.
  const turnTo = (selector, step) => {
    const all = [...document.querySelectorAll(`#menu :is(${selector})`)].filter((entry) => entry.checkVisibility());
    if (!all.length && selector === "[data-feed]") return turnTo("[data-folder]", step);
    const place = all.findIndex((entry) => entry.querySelector('[aria-current="page"]'));
    const next = place < 0 ? all.at(step > 0 ? 0 : -1) : all[place + step];
    return next && location.assign(next.querySelector(":scope > a").href);
  };

  const commands = {
    pageDown: () => {
      const box = openArticle();
      const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
      if (!isAtEnd) box.scrollBy({ top: 0.85 * box.clientHeight });
      else if (find("[data-pane]")?.checkVisibility()) turn(1);
      else find("[data-next]")?.click();
    },
    next: () => walk(1),
    previous: () => walk(-1),
    openNext: () => turn(1),
    openPrevious: () => turn(-1),
    open: () => press("[data-open]"),
    original: () => press("[data-original]"),
    read: () => press('[data-act="read"], [data-keep-unread], [data-mark-story]'),
    star: () => press('[data-act="star"]'),
    like: () => press('[data-act="liked"]'),
    dislike: () => press('[data-act="disliked"]'),
    skip: () => press('[data-act="skipped"], [data-skip]'),
    undo: () => find("[data-toast] [data-undo]:enabled, .message [data-undo]")?.click(),
    highlight: () => find("[data-keep]")?.click(),
    why: () => press("[data-why]"),
    story: () => visit("[data-story]"),
    unfold: () => here()?.closest("[data-row]:has([data-unfold])")?.querySelector("[data-unfold]").click(),
    back: () => (find("[data-pane] [data-back]") ?? find("[data-back], [data-filter]:not([aria-current])"))?.click(),
    readAll: () => find("[data-mark-all]")?.click(),
    refresh: () => {
      if (reader.canPoll()) reader.poll();
      else if (find("[data-pane][data-shown]")) location.assign(find("[data-pane]").dataset.pane);
      else location.reload();
    },
    nextFeed: () => turnTo("[data-feed]", 1),
    previousFeed: () => turnTo("[data-feed]", -1),
    nextFolder: () => turnTo("[data-folder]", 1),
    previousFolder: () => turnTo("[data-folder]", -1),
    go: ({ to }) => location.assign(to),
    add: ({ to }) => document.dispatchEvent(new CustomEvent("add", { detail: to })),
    help: showHelp,
    search,
  };

  const keyOf = ({ key, code, shiftKey }) => {
    if (key === " " && !shiftKey) return "Space";
    if (key.length > 1) return "";
    if (/[a-z]/i.test(key)) return shiftKey ? key.toUpperCase() : key.toLowerCase(); // caps lock isn't Shift
    if (/[!-~]/.test(key)) return key;
    const letter = /^Key([A-Z])$/.exec(code)?.[1] ?? "";
    return shiftKey ? letter : letter.toLowerCase();
  };

  let first = "";
  let timer = 0;

  document.addEventListener("walk", ({ detail: { from, to } }) => (to ? stand(to, rows()) : walk(1, from)));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest(TAKING_KEYS)) return;
    const key = keyOf(event);
    const command = table.get(first ? `${first} ${key}` : key);
    clearTimeout(timer);
    const begins = !first && key === "g" && !event.repeat;
    first = begins ? key : "";
    if (begins) timer = setTimeout(() => { first = ""; }, PAUSE);
    if (key === "Space" && (!openArticle() || event.target.closest("button, summary"))) return;
    if (!command || (event.repeat && !["next", "previous"].includes(command.does))) return;
    event.preventDefault();
    commands[command.does](command);
  });

  // After returning from an article, continue from its row.
  find(`[data-row][id="${CSS.escape(location.hash.slice(1))}"]`)?.classList.add("is-here");
  document.addEventListener("click", (event) => {
    if (!find("dialog[data-keys]") || !event.target.closest("[data-keys-page]") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    showHelp();
  });
})();
