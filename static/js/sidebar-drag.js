// Feeds are dragged into folders and, like folders, to a place by hand. The sidebar's context menu does it by keyboard
// and by touch.
(() => {
  "use strict";
  const shelves = document.querySelector("[data-shelves]");
  let dragged = null;
  let marked = null;

  const isAbove = ({ clientY }, element) => {
    const { top, height } = element.getBoundingClientRect();
    return clientY < top + height / 2;
  };

  // What dropping here does: [the element that shows it, how]; nothing where it may not be dropped.
  const placeAt = (event) => {
    const folder = event.target.closest("[data-folder]");
    if (dragged.dataset.folder) {
      return folder && folder !== dragged ? [folder, isAbove(event, folder) ? "before" : "after"] : null;
    }
    const feed = event.target.closest("[data-feed]");
    if (feed) return feed === dragged ? null : [feed, isAbove(event, feed) ? "before" : "after"];
    if (folder) return dragged.closest("[data-folder]") === folder ? null : [folder, "in"];
    const head = event.target.closest(".shelf-head");
    return head && dragged.closest("[data-folder]") ? [head, "in"] : null;
  };

  const mark = (place) => {
    marked?.removeAttribute("data-drop");
    marked = place?.[0] ?? null;
    if (place) marked.dataset.drop = place[1];
  };

  shelves.addEventListener("dragstart", (event) => {
    dragged = event.target.closest(reader.sidebar.ENTRY);
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "copyLinkMove";
    dragged.classList.add("is-dragged");
  });

  shelves.addEventListener("dragover", (event) => {
    const place = dragged && placeAt(event);
    mark(place);
    if (!place) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  });

  shelves.addEventListener("dragleave", ({ relatedTarget }) => { if (!shelves.contains(relatedTarget)) mark(null); });

  shelves.addEventListener("drop", (event) => {
    const place = dragged && placeAt(event);
    if (!place) return;
    event.preventDefault();
    const [target, how] = place;
    if (how === "in") reader.sidebar.move(dragged, { folder: target.dataset.folder ?? "" });
    else reader.sidebar.place(dragged, how, target);
  });

  document.addEventListener("dragend", () => {
    dragged?.classList.remove("is-dragged");
    dragged = null;
    mark(null);
  });
})();
