// Let the browser show a page of ours while the reader cannot be reached.
navigator.serviceWorker?.register(document.currentScript.dataset.worker).catch(() => {
  // Private windows and plain http refuse; everything else works without.
});
