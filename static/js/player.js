// Players of an article's files: a speed that is kept, steps back and on, and the position told to the server every 15
// seconds and when it stops, so that any browser goes on from there. Without this they are plain players.
(() => {
  "use strict";
  const EVERY = 15_000; // milliseconds
  const players = () => [...document.querySelectorAll("[data-player]")];
  const leaving = new WeakMap(); // what each player does when the page is left

  const kept = () => {
    try { return localStorage.getItem("speed") ?? "1"; } catch { return "1"; }
  };
  const keep = (speed) => {
    try { localStorage.setItem("speed", speed); } catch { /* not allowed to: it lasts for this page */ }
  };

  const prepare = (player) => {
    const media = player.querySelector("audio, video");
    const token = document.querySelector("[data-acts] [name=csrfmiddlewaretoken]");
    const speeds = player.querySelector("[data-speed]");
    let toldAt = 0;
    let told = -1;

    const tell = (seconds) => {
      if (seconds === told || !navigator.onLine) return; // told with the next, once there is a connection again
      told = seconds;
      toldAt = Date.now();
      const body = new FormData();
      body.set("csrfmiddlewaretoken", token.value);
      body.set("file", player.dataset.file);
      body.set("seconds", seconds);
      navigator.sendBeacon(player.dataset.player, body);
    };
    const here = () => Math.floor(media.currentTime);
    const isBegun = () => media.readyState > 0 && media.played.length > 0;

    const change = () => {
      media.defaultPlaybackRate = media.playbackRate = Number(speeds.value);
      keep(speeds.value);
    };
    if ([...speeds.options].some(({ value }) => value === kept())) speeds.value = kept();
    change();
    player.querySelector("[data-player-acts]").hidden = false;
    speeds.addEventListener("change", change);
    for (const button of player.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => { media.currentTime = Math.max(0, media.currentTime + Number(button.dataset.step)); });
    }

    media.addEventListener("play", () => {
      toldAt = Date.now();
      for (const other of players()) if (other !== player) other.querySelector("audio, video").pause();
    });
    media.addEventListener("timeupdate", () => { if (!media.paused && Date.now() - toldAt >= EVERY) tell(here()); });
    media.addEventListener("pause", () => { if (!media.ended) tell(here()); });
    media.addEventListener("ended", () => tell(0));
    leaving.set(player, () => { if (isBegun() && !media.ended) tell(here()); });
  };

  const prepareAll = () => { for (const player of players()) if (!leaving.has(player)) prepare(player); };
  prepareAll();
  document.addEventListener("shown", prepareAll); // an article beside its list
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") for (const player of players()) leaving.get(player)?.();
  });
})();
