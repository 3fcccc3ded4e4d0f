// The context menu of a feed or folder in the sidebar: by right click, by its button, by the menu key or Shift+F10.
(() => {
  "use strict";
  const nav = document.getElementById("menu");
  const tools = nav.querySelector("[data-sidebar-tools]");
  const { ENTRY, attempt, find, move, place, post, refresh, words } = reader.sidebar;
  let menu = null; // it and the dialogs are made when the menu is first opened
  let renaming = null;
  let moving = null;
  let entry = null;
  let opener = null; // has the focus again when the menu closes; a popover in another doesn't do that by itself

  const items = () => [...menu.children].filter((item) => !item.hidden && !item.disabled);
  const linkOf = (element) => element.querySelector(":scope > a");
  const nameOf = (element) => linkOf(element).querySelector(".name").textContent;
  const isHere = () => linkOf(entry).getAttribute("aria-current") === "page";
  const urlOf = (end) => {
    const { feed, folder } = entry.dataset;
    return (feed ? tools.dataset.feedUrl.replace("/0/", `/${feed}/`) : tools.dataset.folderUrl.replace("/0/", `/${folder}/`)) + end;
  };

  const neighbour = (step) => {
    let next = entry;
    do next = step < 0 ? next.previousElementSibling : next.nextElementSibling;
    while (next && !(next.matches(ENTRY) && next.checkVisibility()));
    return next;
  };

  const make = () => {
    tools.after(tools.content.cloneNode(true));
    menu = nav.querySelector("[role=menu]");
    renaming = nav.querySelector("[data-rename]");
    moving = nav.querySelector("[data-move]");
    menu.addEventListener("keydown", walk);
    menu.addEventListener("click", choose);
    menu.addEventListener("beforetoggle", ({ newState }) => {
      if (newState === "closed" && menu.contains(document.activeElement)) opener.focus({ preventScroll: true });
    });
    moving.addEventListener("change", showNew);
    renaming.addEventListener("input", ({ target }) => target.setCustomValidity(""));
    for (const [dialog, save] of [[renaming, ({ name }) => saveName(name)], [moving, saveFolder]]) {
      dialog.addEventListener("submit", (event) => {
        if (event.submitter?.value !== "ok") return;
        event.preventDefault();
        attempt(() => save(event.target.elements));
      });
    }
  };

  const open = (target, x, y) => {
    if (!menu) make();
    entry = target;
    for (const item of menu.children) item.hidden = Boolean(item.dataset.for && !entry.dataset[item.dataset.for]);
    menu.querySelector("[data-do=up]").disabled = !neighbour(-1);
    menu.querySelector("[data-do=down]").disabled = !neighbour(1);
    menu.querySelector("[data-do=edit]").href = urlOf("edit/");
    menu.setAttribute("aria-label", nameOf(entry));
    opener = document.activeElement;
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
    items()[0].focus();
  };

  const openBelow = (target) => {
    const { left, bottom } = (target.querySelector(":scope > .row-more") ?? target).getBoundingClientRect();
    open(target, left, bottom);
  };

  nav.addEventListener("contextmenu", (event) => {
    if (menu?.contains(event.target)) return event.preventDefault();
    const target = event.target.closest(ENTRY);
    if (!target) return undefined;
    event.preventDefault();
    return open(target, event.clientX, event.clientY);
  });
  nav.addEventListener("click", ({ target }) => {
    if (target.closest(".row-more")) openBelow(target.closest(ENTRY));
  });
  nav.addEventListener("keydown", (event) => {
    const target = event.target.closest(ENTRY);
    if (!target || !(event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey))) return;
    event.preventDefault();
    openBelow(target);
  });

  const walk = (event) => {
    const all = items();
    const here = all.indexOf(document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Tab") menu.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    all.at(to % all.length).focus();
  };

  const acted = (name, undo) => {
    const again = () => attempt(async () => {
      await undo();
      await refresh();
    });
    document.dispatchEvent(new CustomEvent("acted", { detail: { words: words(name), again } }));
  };

  const read = async () => {
    const shown = isHere() ? document.querySelector("main [data-mark-all]") : null;
    if (shown) return shown.click(); // its list is open
    const { undo } = await post(urlOf("read/"));
    return undo ? acted("read", () => post(undo)) : reader.announce(words("already"));
  };

  const unfollow = async () => {
    const { undo } = await post(urlOf("unfollow/"));
    await refresh();
    acted("unfollow", () => post(undo));
  };

  const rename = () => {
    const { name } = renaming.querySelector("form").elements;
    name.value = nameOf(entry);
    name.setCustomValidity("");
    renaming.showModal();
    name.select();
  };

  const saveName = async (name) => {
    if (name.value === nameOf(entry)) return renaming.close();
    const url = urlOf("rename/");
    const { error, was } = await post(url, { name: name.value });
    if (error) {
      name.setCustomValidity(error);
      return name.reportValidity();
    }
    renaming.close();
    const title = isHere() ? document.querySelector("main h1") : null;
    await refresh();
    const showTitle = () => { if (title) title.textContent = nameOf(find(entry.dataset)); };
    showTitle();
    return acted("renamed", async () => {
      await post(url, { name: was });
      await refresh();
      showTitle();
    });
  };

  const chooseFolder = () => {
    const { folder, new_folder: fresh } = moving.querySelector("form").elements;
    const old = entry.parentElement.dataset.in;
    const folders = [...nav.querySelectorAll("[data-folder]")].map((element) => new Option(nameOf(element), element.dataset.folder));
    folder.replaceChildren(folder.options[0], ...folders, folder.options[folder.options.length - 1]);
    folder.value = old;
    fresh.value = "";
    showNew();
    moving.showModal();
  };

  const showNew = () => {
    const { folder, new_folder: fresh } = moving.querySelector("form").elements;
    fresh.closest("p").hidden = folder.value !== "new";
    fresh.required = folder.value === "new";
  };

  const saveFolder = async ({ folder, new_folder: fresh }) => {
    moving.close();
    if (folder.value === entry.parentElement.dataset.in) return;
    await move(entry, folder.value === "new" ? { new_folder: fresh.value.trim().replace(/\s+/g, " ") } : { folder: folder.value });
  };

  const ACTS = {
    read,
    unfollow,
    rename,
    move: chooseFolder,
    up: () => place(entry, "before", neighbour(-1)),
    down: () => place(entry, "after", neighbour(1)),
  };
  const choose = ({ target }) => {
    const item = target.closest("[data-do]");
    if (!item || item.dataset.do === "edit") return;
    menu.hidePopover();
    entry = find(entry.dataset) ?? entry;
    attempt(async () => ACTS[item.dataset.do]());
  };
})();
