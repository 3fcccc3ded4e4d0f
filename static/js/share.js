// Shares or copies an article's link. Both buttons stay hidden in browsers that can't; there is a field to copy from.
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

  const prepareCopying = (place) => {
    place.hidden = false;
    const button = place.querySelector("button");
    const words = button.querySelector("span");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copyUrl);
        words.textContent = button.dataset.wordsCopied;
        reader.announce(button.dataset.wordsAnnounced);
      } catch {
        document.querySelector("[data-select]").select();
        reader.announce(button.dataset.wordsFailed);
      }
    });
  };

  const prepare = () => {
    if (navigator.share) document.querySelectorAll("[data-share]").forEach(prepareSharing);
    if (navigator.clipboard) document.querySelectorAll("[data-copy]").forEach(prepareCopying);
  };
  prepare();
  document.addEventListener("shown", prepare); // an article in the pane
  document.addEventListener("focusin", ({ target }) => { if (target.matches("[data-select]")) target.select(); });
})();
