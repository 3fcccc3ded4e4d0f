// The sidebar's folders open in place, its feeds are sorted, filtered and arranged without a page load, and it keeps its
// scroll position from page to page. Without scripts its buttons submit a form.
(() => {
  "use strict";
  const nav = document.getElementById("menu");
  const shelves = nav.querySelector("[data-shelves]");
  const scroller = nav.querySelector("[data-sidebar-scroll]");
  const tools = nav.querySelector("[data-sidebar-tools]");
  const form = document.getElementById("sidebar-view");
  const ENTRY = "[data-feed], [data-folder]";

  const post = async (url, values = {}) => {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    const response = await reader.send(url, { method: "POST", body, headers: { "X-Quiet": "1" } });
    return response.status === 204 ? {} : response.json();
  };
  const view = (values) => post(form.action, values);

  // Errors are shown, with another try.
  const attempt = async (act) => {
    try {
      await act();
    } catch (error) {
      reader.showError(error, () => attempt(act));
    }
  };

  const find = ({ feed, folder }) =>
    shelves.querySelector(feed ? `[data-feed="${feed}"]` : `[data-folder="${folder}"]`);

  // Which element to focus again after the list was replaced.
  const focusIn = () => {
    const { activeElement: element } = document;
    if (!shelves.contains(element)) return () => {};
    const entry = element.closest(ENTRY);
    const selector = entry ? `:scope > ${element.localName}${element.className ? `.${element.className}` : ""}` : "summary";
    return () => (entry ? find(entry.dataset)?.querySelector(selector) : shelves.querySelector(selector))?.focus({ preventScroll: true });
  };

  const refresh = async () => {
    const markup = await (await reader.send(nav.dataset.shelvesUrl, { isAside: true })).text();
    const restoreFocus = focusIn();
    const top = scroller.scrollTop;
    shelves.replaceChildren(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
    scroller.scrollTop = top;
    restoreFocus();
  };

  // `undo` are the values that make the same request take it back.
  const arrange = (values, undo, words) => attempt(async () => {
    const url = tools.dataset.arrange;
    await post(url, values);
    await refresh();
    const again = () => attempt(async () => {
      await post(url, undo);
      await refresh();
    });
    document.dispatchEvent(new CustomEvent("acted", { detail: { words, again } }));
  });

  const idsIn = (list) =>
    [...list.children].map(({ dataset }) => dataset.feed ?? dataset.folder).filter(Boolean).join(" ");
  const orderNow = () => shelves.querySelector("[data-sorted]").dataset.sorted;

  // Puts a feed or a folder before or after another, in the order by hand.
  const place = (entry, where, other) => {
    const [from, to] = [entry.parentElement, other.parentElement];
    const { feed } = entry.dataset;
    const name = feed ? "feeds" : "folders";
    const order = orderNow();
    const undo = { [name]: idsIn(from), order };
    other[where](entry);
    const values = {};
    // A feed that comes into another folder takes its place there, if that is sorted by hand.
    if (from === to || order === "hand") Object.assign(values, { [name]: idsIn(to), order: "hand" });
    if (from !== to) {
      Object.assign(values, { feed, folder: to.dataset.in });
      Object.assign(undo, { feed, folder: from.dataset.in });
    }
    return arrange(values, undo, words("moved"));
  };

  const move = (entry, values) => {
    const { feed } = entry.dataset;
    const from = entry.parentElement;
    const undo = { feed, folder: from.dataset.in, ...(orderNow() === "hand" && { feeds: idsIn(from) }) };
    const { new_folder: made } = values;
    const known = [...shelves.querySelectorAll("[data-folder] > a > .name")].map((name) => name.textContent);
    if (made && !known.includes(made)) undo.made = made;
    return arrange({ feed, ...values }, undo, words("moved"));
  };

  const words = (name) => tools.getAttribute(`data-words-${name}`);

  const fold = (button) => {
    const opens = button.name === "open";
    const list = button.parentElement.querySelector(".feeds");
    button.setAttribute("aria-expanded", String(opens));
    button.name = opens ? "close" : "open";
    if (list) list.hidden = !opens;
    attempt(async () => {
      await view({ [opens ? "open" : "close"]: button.value });
      if (opens && !list) await refresh();
    });
  };

  const hideRead = (button) => {
    const hides = button.value === "1";
    for (const list of shelves.querySelectorAll("[data-sorted], [data-in='']")) list.classList.toggle("hides-read", hides);
    button.setAttribute("aria-pressed", String(hides));
    button.value = hides ? "0" : "1";
    attempt(() => view({ hides_read: hides ? "1" : "0" }));
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { submitter } = event;
    if (submitter.matches(".fold")) return fold(submitter);
    submitter.closest("details").open = false;
    shelves.querySelector("summary").focus();
    if (submitter.name === "hides_read") return hideRead(submitter);
    return attempt(async () => {
      await view({ order: submitter.value });
      await refresh();
    });
  });

  nav.querySelector("[data-more-places] > summary").addEventListener("click", ({ currentTarget }) =>
    attempt(() => view({ more: currentTarget.parentElement.open ? "0" : "1" })));

  // It stays where it was, except that the feed or folder that was just opened is in sight.
  const KEPT = "sidebar scroll";
  if (matchMedia("(min-width: 800px)").matches) try { // narrower ones have it closed
    const [top, path] = JSON.parse(sessionStorage.getItem(KEPT)) ?? [0, ""];
    scroller.scrollTop = top;
    if (path !== location.pathname) shelves.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    window.addEventListener("pagehide", () =>
      sessionStorage.setItem(KEPT, JSON.stringify([scroller.scrollTop, location.pathname])));
  } catch { /* no storage: it starts at its top */ }

  reader.sidebar = { ENTRY, attempt, find, move, place, post, refresh, view, words };
})();
