// Three columns: in wide windows, articles and stories open in a pane beside their list. The address bar shows their URL,
// and the history entry holds the list: Back, Forward and Reload keep both. With Ctrl, in narrow windows and without
// scripts, links open the article's page.
(() => {
  "use strict";
  const WIDE = matchMedia("(min-width: 1200px) and (scripting: enabled)"); // as in columns.css
  const pane = document.querySelector("[data-pane]");
  const list = document.getElementById("main");
  // The pages of articles and stories, which the pane can show.
  const PAGES = /\/(articles\/\d+\/((why|changes|related)\/)?|stories\/\d+\/)$/;
  const isArticle = ({ origin, pathname }) => origin === location.origin && PAGES.test(pathname);
  const here = () => location.pathname + (isArticle(location) ? location.search : "");

  // A history entry made by a pane may be reached on a page without one, for example after a reload: the list opens
  // again, and the article in it.
  // What the next page shows in its pane; without storage, nothing.
  const reopenNext = (...what) => {
    try { sessionStorage.setItem("reopen", JSON.stringify(what)); } catch { return false; }
    return true;
  };

  if (!pane) {
    const loaded = here();
    reopenNext();
    const reopen = () => {
      if (!history.state?.list || !isArticle(location) || !WIDE.matches || !reopenNext(here())) return false;
      location.replace(history.state.list);
      return true;
    };
    window.addEventListener("popstate", () => { if (here() !== loaded && !reopen()) location.reload(); });
    reopen();
    return;
  }

  const hint = [...pane.childNodes]; // shown while nothing is open
  const { title } = document;
  let listAddress = location.href;
  let open = null; // path and query of the open article
  let latest = 0; // number of the latest request; earlier responses are ignored

  // A digest leaves its full width for a column: the row stays where it is on the screen.
  const keepInPlace = (change, row = list.querySelector("[data-open][aria-current]")?.closest("[data-row]")) => {
    const before = row?.getBoundingClientRect().top;
    change();
    if (!row) return;
    const box = getComputedStyle(list).overflowY === "auto" ? list : document.scrollingElement;
    if (box === list) document.scrollingElement.scrollTop = 0;
    box.scrollTop += row.getBoundingClientRect().top - before;
  };

  const fill = (address, markup, { top = 0, hash = "", isKept = false }) => {
    pane.replaceChildren(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
    pane.dataset.shown = address.split("?")[0];
    for (const sheet of document.querySelectorAll("[data-for-pane]")) sheet.media = "all"; // for print, too
    document.body.classList.add("is-reading");
    document.title = pane.querySelector("[data-title]").dataset.title;
    open = address;
    htmx.process(pane);
    document.dispatchEvent(new CustomEvent("shown"));
    const messages = pane.querySelector(".messages");
    pane.scrollTop = messages ? 0 : top;
    if (isKept) return; // the focus is in the list
    const place = hash ? pane.querySelector(hash) : null;
    (place ? place.querySelector("summary, a, button") : pane.querySelector("h1")).focus({ preventScroll: true });
    place?.scrollIntoView({ block: "nearest" });
    reader.announce(messages?.textContent.trim() ?? pane.dataset.wordsOpened);
  };

  // Loads an article, or posts a form that leads to one, and shows it at `position` ({ top, hash }).
  const show = async (href, options = {}, position = {}, step = "pushState") => {
    const number = (latest += 1);
    pane.setAttribute("aria-busy", "true");
    try {
      const response = await reader.send(href, { ...options, headers: { "X-Fragment": "pane" } });
      const markup = await response.text();
      const url = new URL(response.url);
      if (!isArticle(url)) return location.assign(url);
      document.dispatchEvent(new CustomEvent("opened", { detail: { path: url.pathname } }));
      if (number !== latest) return;
      if (!open && !isArticle(location)) listAddress = location.href;
      const address = url.pathname + url.search;
      if (address !== here()) history[step]({ list: listAddress }, "", address);
      const link = open ? null : list.querySelector(`[data-open][href^="${url.pathname}"]`);
      keepInPlace(() => fill(address, markup, position), link?.closest("[data-row]"));
    } catch (error) {
      if (number === latest) reader.showError(error, () => show(href, options, position, step));
    } finally {
      if (number === latest) pane.removeAttribute("aria-busy");
    }
  };

  const close = ({ pushes = true } = {}) => {
    latest += 1;
    pane.removeAttribute("aria-busy");
    if (!open) return;
    const [link, wasInside] = [list.querySelector("[data-open][aria-current]"), pane.contains(document.activeElement)];
    keepInPlace(() => {
      pane.replaceChildren(...hint);
      delete pane.dataset.shown;
      document.body.classList.remove("is-reading");
    });
    document.title = title;
    open = null;
    document.dispatchEvent(new CustomEvent("closed"));
    if (pushes) history.pushState(null, "", listAddress);
    if (wasInside) (link ?? list).focus({ preventScroll: true });
    link?.closest("[data-row]").scrollIntoView({ block: "nearest" });
    reader.announce(pane.dataset.wordsClosed);
  };

  try {
    const [reopened, position] = JSON.parse(sessionStorage.getItem("reopen")) ?? [];
    sessionStorage.removeItem("reopen");
    if (reopened && WIDE.matches) {
      pane.dataset.reopened = "true"; // the list scrolls to where it was (scroll-position.js)
      show(reopened, {}, position, "replaceState");
    }
  } catch { /* no storage: nothing was open */ }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const isPlain = !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.matches("[data-unfold]")) return;
    if (!pane.contains(link) && !list.contains(link)) return;
    if (pane.contains(link) && link.matches("[data-back]") && !isArticle(link)) {
      event.preventDefault();
      close();
    } else if (WIDE.matches && isArticle(link) && !(link.hash && link.pathname + link.search === open)) {
      event.preventDefault();
      show(link.href);
    }
  });

  document.addEventListener("visit", (event) => {
    if (!WIDE.matches || !isArticle(event.detail)) return;
    event.preventDefault();
    show(event.detail.href);
  });

  // On the window, so that the document's listeners come first (actions.js).
  window.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented) return;
    if (open && list.contains(form)) reopenNext(open, { top: pane.scrollTop, isKept: true });
    if (!pane.contains(form)) return;
    event.preventDefault();
    const body = new FormData(form, submitter);
    const { hash } = new URL(body.get("next") ?? "", location);
    const action = submitter?.hasAttribute("formaction") ? submitter.formAction : form.action;
    show(action, { method: "POST", body }, { hash, top: pane.scrollTop }, "replaceState");
  });

  window.addEventListener("popstate", () => {
    if (here() === open) return;
    if (isArticle(location)) show(location.href);
    else close({ pushes: false });
  });

  // A footnote: its history entry holds the list, too.
  window.addEventListener("hashchange", () => {
    if (open === here() && !history.state) history.replaceState({ list: listAddress }, "");
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    if (document.querySelector("dialog[open], :popover-open, [data-menu][open]")) return;
    if (open && !event.target.closest("input, textarea, select")) close();
  });

  document.addEventListener("acted", ({ detail: { act, path } }) => {
    if (act === "skipped" && open?.startsWith(path)) close();
  });
})();
