// Audio and video players: a remembered speed, skip buttons, chapters to jump to, and a position saved to the server
// every 15 seconds and on pause, so that any device continues from there.
(() => {
  "use strict";
  const INTERVAL = 15_000; // milliseconds
  const players = () => [...document.querySelectorAll("[data-player]")];
  const saveOnLeave = new WeakMap(); // per player

  const savedSpeed = () => {
    try { return localStorage.getItem("speed") ?? "1"; } catch { return "1"; }
  };
  const saveSpeed = (speed) => {
    try { localStorage.setItem("speed", speed); } catch { /* no storage: it lasts for this page */ }
  };

  const prepare = (player) => {
    const media = player.querySelector("audio, video");
    const token = document.querySelector("[data-acts] [name=csrfmiddlewaretoken]");
    const speeds = player.querySelector("[data-speed]");
    let savedAt = 0;
    let saved = -1;

    const save = (seconds) => {
      if (seconds === saved || !navigator.onLine) return; // saved with the next position once online
      saved = seconds;
      savedAt = Date.now();
      const body = new FormData();
      body.set("csrfmiddlewaretoken", token.value);
      body.set("file", player.dataset.file);
      body.set("seconds", seconds);
      navigator.sendBeacon(player.dataset.player, body);
    };
    const here = () => Math.floor(media.currentTime);
    const markChapter = () => {
      const chapters = [...player.querySelectorAll("[data-seek]")];
      const current = chapters.findLast((chapter) => Number(chapter.dataset.seek) <= media.currentTime);
      for (const chapter of chapters) chapter.ariaCurrent = chapter === current ? "true" : null;
    };
    const hasPlayed = () => media.readyState > 0 && media.played.length > 0;

    const change = () => {
      media.defaultPlaybackRate = media.playbackRate = Number(speeds.value);
      saveSpeed(speeds.value);
    };
    if ([...speeds.options].some(({ value }) => value === savedSpeed())) speeds.value = savedSpeed();
    change();
    player.querySelector("[data-player-acts]").hidden = false;
    speeds.addEventListener("change", change);
    for (const button of player.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => {
        media.currentTime = Math.max(0, media.currentTime + Number(button.dataset.step));
      });
    }

    player.addEventListener("click", (event) => {
      const chapter = event.target.closest("[data-seek]");
      if (!chapter || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      media.currentTime = Number(chapter.dataset.seek);
      media.play().catch(() => { /* the file can't be played; its link is below the player */ });
      markChapter();
    });

    media.addEventListener("play", () => {
      savedAt = Date.now();
      for (const other of players()) if (other !== player) other.querySelector("audio, video").pause();
    });
    media.addEventListener("timeupdate", () => {
      markChapter();
      if (!media.paused && Date.now() - savedAt >= INTERVAL) save(here());
    });
    media.addEventListener("pause", () => { if (!media.ended) save(here()); });
    media.addEventListener("ended", () => save(0));
    saveOnLeave.set(player, () => { if (hasPlayed() && !media.ended) save(here()); });
  };

  const prepareAll = () => { for (const player of players()) if (!saveOnLeave.has(player)) prepare(player); };
  prepareAll();
  document.addEventListener("shown", prepareAll); // an article in the pane
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") for (const player of players()) saveOnLeave.get(player)?.();
  });
})();
