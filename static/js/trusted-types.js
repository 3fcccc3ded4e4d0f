// Trusted Types: the only policy that may turn text into markup or load scripts. Markup comes from our own server,
// which sanitizes feed content. The only script loaded is the service worker. No text is ever run as code.
window.trustedTypes?.createPolicy("default", {
  createHTML: (markup) => markup,
  createScriptURL: (address) => {
    const url = new URL(address, document.baseURI);
    return url.origin === location.origin && url.pathname.endsWith("/service-worker.js") ? url.href : null;
  },
});
