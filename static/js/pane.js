// Three columns: in a wide window an article opens beside its list, which stays where it is. The address is then the
// article's own, and back and forward go from one to the next. With Ctrl, in a narrower window and without this a link
// leads to the article's page, as the same address does when it is loaded.
(() => {
  "use strict";
  const WIDE = matchMedia("(min-width: 1200px) and (scripting: enabled)"); // as in columns.css
  const pane = document.querySelector("[data-pane]");
  const list = document.getElementById("main");
  const isArticle = ({ origin, pathname }) => origin === location.origin && /\/articles\/\d+\/$/.test(pathname);
  const here = () => location.pathname + (isArticle(location) ? location.search : "");

  // An address that a pane once showed may belong to a page without one: it was loaded again, or the window is another.
  if (!pane) {
    const loaded = here();
    window.addEventListener("popstate", () => { if (here() !== loaded) location.reload(); });
    return;
  }

  const hint = [...pane.childNodes]; // what stands there while nothing is open
  const { title } = document;
  let listAddress = location.href;
  let open = null; // the address of what is open, without the site
  let asked = 0; // of several questions only the last one's answer is shown

  const fill = (address, markup, { top = 0, hash = "" }) => {
    pane.replaceChildren(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
    pane.dataset.shown = address.split("?")[0];
    document.title = pane.querySelector("[data-title]").dataset.title;
    open = address;
    htmx.process(pane);
    document.dispatchEvent(new CustomEvent("shown"));
    const told = pane.querySelector(".messages");
    pane.scrollTop = told ? 0 : top;
    const place = hash ? pane.querySelector(hash) : null;
    (place ? place.querySelector("summary, a, button") : pane.querySelector("h1")).focus({ preventScroll: true });
    place?.scrollIntoView({ block: "nearest" });
    reader.announce(told?.textContent.trim() ?? pane.dataset.wordsOpened);
  };

  // Ask for an article and show it; what changes one leads to it, too. `kept`: where it is to stand when it came.
  const show = async (href, options = {}, kept = {}, step = "pushState") => {
    const number = (asked += 1);
    pane.setAttribute("aria-busy", "true");
    try {
      const answer = await reader.send(href, { ...options, headers: { "X-Fragment": "pane" } });
      const markup = await answer.text();
      const url = new URL(answer.url);
      if (!isArticle(url)) return location.assign(url);
      document.dispatchEvent(new CustomEvent("opened", { detail: { path: url.pathname } }));
      if (number !== asked) return;
      if (!open && !isArticle(location)) listAddress = location.href;
      const address = url.pathname + url.search;
      if (address !== here()) history[step](null, "", address);
      fill(address, markup, kept);
    } catch (trouble) {
      if (number === asked) reader.tell(trouble, () => show(href, options, kept, step));
    } finally {
      if (number === asked) pane.removeAttribute("aria-busy");
    }
  };

  const close = ({ pushes = true } = {}) => {
    asked += 1;
    pane.removeAttribute("aria-busy");
    if (!open) return;
    const [link, wasInside] = [list.querySelector("[data-open][aria-current]"), pane.contains(document.activeElement)];
    pane.replaceChildren(...hint);
    delete pane.dataset.shown;
    document.title = title;
    open = null;
    document.dispatchEvent(new CustomEvent("closed"));
    if (pushes) history.pushState(null, "", listAddress);
    if (wasInside) (link ?? list).focus({ preventScroll: true });
    link?.closest("[data-row]").scrollIntoView({ block: "nearest" });
    reader.announce(pane.dataset.wordsClosed);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const isPlain = !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || !(pane.contains(link) || list.contains(link))) return;
    if (pane.contains(link) && link.matches("[data-back]")) {
      event.preventDefault();
      close();
    } else if (WIDE.matches && isArticle(link) && !(link.hash && link.pathname + link.search === open)) {
      event.preventDefault();
      show(link.href);
    }
  });

  // On the window, for the document's own listeners answer what they can (acts.js).
  window.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || !pane.contains(form)) return;
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

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open], :popover-open")) return;
    if (open && !event.target.closest("input, textarea, select, [data-menu][open]")) close();
  });

  document.addEventListener("acted", ({ detail: { act, path } }) => {
    if (act === "skipped" && open?.startsWith(path)) close();
  });
})();
