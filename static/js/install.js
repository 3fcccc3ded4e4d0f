// Registers the service worker, which shows our offline page.
navigator.serviceWorker?.register(document.querySelector("[data-worker]").dataset.worker).catch(() => {
  // Unavailable in private windows and over plain HTTP; everything else works without it.
});
