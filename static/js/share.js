// Shares or copies an article's link. The buttons stay hidden in browsers that can't.
(() => {
  "use strict";
  const prepareSharing = (place) => {
    place.hidden = false;
    const { shareTitle: title, shareUrl: url, wordsFailed } = place.querySelector("button").dataset;
    place.querySelector("button").addEventListener("click", async () => {
      try {
        await navigator.share({ title, url });
      } catch (error) {
        if (error.name !== "AbortError") reader.announce(wordsFailed);
      }
    });
  };

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

  const prepareCopying = (place) => {
    place.hidden = false;
    const button = place.querySelector("button");
    const words = button.querySelector("span");
    button.addEventListener("click", async () => {
      try {
        await copy(button.dataset.copyUrl, button);
        words.textContent = button.dataset.wordsCopied;
        reader.announce(button.dataset.wordsAnnounced);
      } catch {
        reader.announce(button.dataset.wordsFailed);
      }
    });
  };

  const prepare = () => {
    if (navigator.share) document.querySelectorAll("[data-share]").forEach(prepareSharing);
    document.querySelectorAll("[data-copy]").forEach(prepareCopying);
  };
  prepare();
  document.addEventListener("shown", prepare); // an article in the pane
})();
