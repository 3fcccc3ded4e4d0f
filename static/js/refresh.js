// r on the list of a feed polls it, shows that, and loads the list again if there is something new.
(() => {
  "use strict";
  const EVERY = 1500; // milliseconds
  const MOST = 60_000;
  const SHOWN_FOR = 4000;
  const { poll, polled } = document.getElementById("menu").dataset;
  const note = document.querySelector("[data-note]");
  const wait = (span) => new Promise((resolve) => { setTimeout(resolve, span); });
  let timer = 0;
  let isPolling = false;

  const show = (words, { stays = false } = {}) => {
    clearTimeout(timer);
    note.textContent = words;
    note.hidden = false;
    if (!stays) timer = setTimeout(() => { note.hidden = true; }, SHOWN_FOR);
  };

  const ask = async () => (await reader.send(polled, { isAside: true })).json();

  const refresh = async () => {
    const main = document.getElementById("main");
    main.ariaBusy = "true";
    show(note.dataset.wordsPolling, { stays: true });
    try {
      const { refusal, polled_at: before, newest } = await reader.sidebar.post(poll);
      if (refusal) return show(refusal);
      for (let waited = 0; waited < MOST; waited += EVERY) {
        await wait(EVERY);
        const now = await ask();
        if (now.newest !== newest) return location.reload();
        if (now.polled_at !== before) {
          await wait(EVERY); // articles are delivered just after the poll
          return (await ask()).newest === newest ? show(note.dataset.wordsNothing) : location.reload();
        }
      }
      return show(note.dataset.wordsLater);
    } finally {
      main.ariaBusy = null;
    }
  };

  // Whether the page is the list of a feed.
  reader.canPoll = () => Boolean(poll) && new URL(poll, location.href).pathname === `${location.pathname}poll/`;
  reader.poll = async () => {
    if (isPolling) return;
    isPolling = true;
    try {
      await refresh();
    } catch (error) {
      note.hidden = true;
      reader.showError(error, reader.poll);
    } finally {
      isPolling = false;
    }
  };
})();
