// Browsers that know Trusted Types let no script of this site put text into the page as markup, or load code, unless it
// goes through here. Markup comes from the reader itself, which sanitizes what others wrote; of code there is the
// service worker alone. Nothing is ever run that stands in a text.
window.trustedTypes?.createPolicy("default", {
  createHTML: (markup) => markup,
  createScriptURL: (address) => {
    const asked = new URL(address, document.baseURI);
    return asked.origin === location.origin && asked.pathname.endsWith("/service-worker.js") ? asked.href : null;
  },
});
