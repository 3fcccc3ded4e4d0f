// Highlights: a button beside selected text saves it; saved ones are found again by their words and drawn over the text.
// They are compared without differences in white space, one line for each block, as the server stores them.
(() => {
  "use strict";
  const CONTEXT = 40; // characters before and after, as in reader/models/highlight.py
  const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, td, th, dt, dd, figcaption, div";
  let bar = null;
  let drawn = []; // [range, id of its entry]

  const body = () => document.querySelector("#text .body");
  const section = () => document.querySelector("[data-highlights]");

  // The text of the article, and for each of its characters the node and the offset there.
  const read = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const [places, block] = [[], {}];
    let text = "";
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const within = node.parentElement.closest(BLOCKS);
      if (text && within !== block.last && !text.endsWith("\n")) {
        if (text.endsWith(" ")) {
          text = text.slice(0, -1);
          places.pop();
        }
        text += "\n";
        places.push([node, 0]);
      }
      block.last = within;
      for (let at = 0; at < node.length; at += 1) {
        const sign = /\s/.test(node.data[at]) ? " " : node.data[at];
        if (sign === " " && (!text || /\s$/.test(text))) continue;
        text += sign;
        places.push([node, at]);
      }
    }
    return { text, places };
  };

  const shared = (one, other) => {
    let n = 0;
    while (n < one.length && one[n] === other[n]) n += 1;
    return n;
  };
  const reversed = (text) => [...text].reverse().join("");

  // Where the quote is; of several places, the one with the most alike surroundings.
  const find = (text, quote, prefix, suffix) => {
    let best = -1;
    let most = -1;
    for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
      const before = reversed(text.slice(0, at).trimEnd());
      const likeness = shared(before, reversed(prefix)) + shared(text.slice(at + quote.length).trimStart(), suffix);
      if (likeness > most) [best, most] = [at, likeness];
    }
    return best;
  };

  const draw = () => {
    drawn = [];
    globalThis.CSS?.highlights?.delete("kept");
    const root = body();
    const entries = [...document.querySelectorAll("[data-highlights] [data-highlight]")];
    if (!root || !entries.length || !globalThis.Highlight) return;
    const { text, places } = read(root);
    for (const entry of entries) {
      const quote = entry.querySelector("[data-quote]").textContent;
      const at = find(text, quote, entry.dataset.prefix, entry.dataset.suffix);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(...places[at]);
      const [node, offset] = places[at + quote.length - 1];
      range.setEnd(node, offset + 1);
      drawn.push([range, entry.id]);
    }
    CSS.highlights.set("kept", new Highlight(...drawn.map(([range]) => range)));
  };

  const selected = () => {
    const selection = getSelection();
    const root = body();
    if (!root || !selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    return root.contains(range.commonAncestorContainer) && range.toString().trim() ? range : null;
  };

  // The selected text with its surroundings.
  const quoteOf = (range) => {
    const { text, places } = read(body());
    const isBefore = ([node, at]) => range.comparePoint(node, at) < 0;
    const isWithin = ([node, at]) => range.comparePoint(node, at) === 0 && !(node === range.endContainer && at >= range.endOffset);
    let start = places.findIndex((place) => !isBefore(place));
    let end = start;
    while (end < places.length && isWithin(places[end])) end += 1;
    while (start < end && /\s/.test(text[start])) start += 1;
    while (end > start && /\s/.test(text[end - 1])) end -= 1;
    return {
      quote: text.slice(start, end),
      prefix: text.slice(0, start).trimEnd().slice(-CONTEXT),
      suffix: text.slice(end).trimStart().slice(0, CONTEXT),
    };
  };

  const keep = async (withNote) => {
    const [range, place] = [selected(), section()];
    if (!range || !place) return;
    const form = place.querySelector("[data-highlight-form]");
    const data = new FormData(form);
    for (const [name, value] of Object.entries(quoteOf(range))) data.set(name, value);
    getSelection().removeAllRanges();
    hide();
    try {
      const response = await reader.send(form.action, { method: "POST", body: data, headers: { "X-Fragment": "highlights" } });
      const markup = new DOMParser().parseFromString(await response.text(), "text/html");
      place.replaceWith(markup.body.firstElementChild);
      const { added, refused, wordsDone } = section().dataset;
      reader.announce(refused ?? wordsDone);
      draw();
      if (withNote && added) write(added);
    } catch (error) {
      reader.showError(error, () => keep(withNote));
    }
  };

  const write = (id) => {
    const entry = document.getElementById(id);
    entry.querySelector("details").open = true;
    entry.querySelector("textarea").focus();
    entry.scrollIntoView({ block: "nearest" });
  };

  const hide = () => { if (bar) bar.hidden = true; };

  const show = (range) => {
    if (!bar) {
      bar = document.createElement("div");
      bar.className = "highlight-bar";
      for (const name of ["highlight", "note"]) {
        const button = Object.assign(document.createElement("button"), { type: "button" });
        button.dataset.keep = name;
        button.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
        button.addEventListener("click", () => keep(name === "note"));
        bar.append(button);
      }
      document.body.append(bar);
    }
    for (const button of bar.children) {
      button.textContent = section().getAttribute(`data-words-${button.dataset.keep}`);
    }
    bar.hidden = false;
    const box = range.getBoundingClientRect();
    const top = box.bottom + 8 + bar.offsetHeight > innerHeight ? box.top - bar.offsetHeight - 8 : box.bottom + 8;
    const left = box.left + (box.width - bar.offsetWidth) / 2;
    bar.style.top = `${Math.max(8, top)}px`;
    bar.style.left = `${Math.max(8, Math.min(left, innerWidth - bar.offsetWidth - 8))}px`;
  };

  document.addEventListener("selectionchange", () => {
    const range = section() && selected();
    if (range) show(range);
    else hide();
  });
  document.addEventListener("scroll", () => { if (bar && !bar.hidden && selected()) show(selected()); }, true);

  // A click on a highlight opens its note.
  document.addEventListener("click", ({ target }) => {
    const selection = getSelection();
    if (!selection.isCollapsed || !selection.anchorNode || target.closest("a, button") || !body()?.contains(target)) return;
    const hit = drawn.find(([range]) => range.isPointInRange(selection.anchorNode, selection.anchorOffset));
    if (hit) write(hit[1]);
  });

  draw();
  document.addEventListener("shown", draw); // an article in the pane
  document.addEventListener("progressed", draw); // its full text
})();
