// Shares or copies an article's link. The buttons stay hidden in browsers that can't.
(() => {
  "use strict";
  // Without HTTPS there is no clipboard; the old command still works there.
  const copy = async (text, near) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "spoken" });
    near.after(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    near.focus();
    if (!isCopied) throw new Error("not copied");
  };

  document.addEventListener("click", async ({ target }) => {
    const place = target.closest("[data-copy], [data-share]");
    if (!place) return;
    const { copyUrl, shareUrl: url, shareTitle: title } = place.querySelector("button").dataset;
    const { wordsCopied, wordsAnnounced, wordsFailed, wordsNotShared } = document.querySelector("[data-words-copied]").dataset;
    try {
      if (url) return await navigator.share({ title, url });
      await copy(copyUrl, place.querySelector("button"));
      place.querySelector("span").textContent = wordsCopied;
      reader.announce(wordsAnnounced);
    } catch (error) {
      if (error.name !== "AbortError") reader.announce(url ? wordsNotShared : wordsFailed);
    }
  });

  const prepare = () => {
    const able = navigator.share ? "[data-share], [data-copy]" : "[data-copy]";
    for (const place of document.querySelectorAll(able)) place.hidden = false;
  };
  prepare();
  for (const event of ["shown", "grown"]) document.addEventListener(event, prepare); // an article in the pane, more rows
})();
