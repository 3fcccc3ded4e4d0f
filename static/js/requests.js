// All requests of our scripts. Failures (offline, signed out, expired page, busy server) are shown in a bar at the
// bottom of the page, with what to do about them.
globalThis.reader = (() => {
  "use strict";
  const TIMEOUT = 20_000; // milliseconds; the same for htmx (base.html)
  const line = document.querySelector("[data-trouble]");
  const find = (name) => line.querySelector(`[data-trouble-${name}]`);
  const signIn = new URL(find("sign-in").href);
  let retry = null;
  let isLeaving = false; // leaving a page aborts its requests, which isn't an error
  const pending = new Set(); // running POSTs: GETs wait for them, so that they show what was changed

  // `kind` selects the page's message (data-words-…); `words` is a message from the server.
  class RequestError extends Error {
    constructor(kind, words = "") {
      super(words || kind);
      Object.assign(this, { kind, words });
    }
  }

  const announce = (words) => { document.querySelector("[data-announce]").textContent = words; };

  const errorOf = (status, url, type, text) => {
    if (!status) return new RequestError("unreached");
    if (status < 400) return url && new URL(url).pathname === signIn.pathname ? new RequestError("signed-out") : null;
    if (status === 503) return new RequestError("busy", type?.startsWith("text/plain") ? text : "");
    return new RequestError({ 403: "old", 404: "gone" }[status] ?? "broken");
  };

  // Resolves to the response, rejects with a RequestError. `isAside`: a background request, whose success leaves an
  // earlier error on screen.
  const send = async (url, { isAside = false, ...options } = {}) => {
    if (options.method !== "POST") await Promise.allSettled(pending);
    const request = fetch(url, { signal: AbortSignal.timeout(TIMEOUT), ...options });
    if (options.method === "POST") pending.add(request);
    let response;
    try {
      response = await request;
    } catch {
      throw new RequestError("unreached");
    } finally {
      pending.delete(request);
    }
    const text = response.status === 503 ? await response.text() : "";
    const error = errorOf(response.status, response.url, response.headers.get("Content-Type"), text);
    if (error) throw error;
    if (!isAside) clearError();
    if (options.method === "POST") document.dispatchEvent(new CustomEvent("changed"));
    return response;
  };

  // Shows an error. `onRetry` repeats the request. Anything but a RequestError is a bug and is thrown.
  const showError = (error, onRetry = null) => {
    if (!(error instanceof RequestError)) throw error;
    if (isLeaving) return;
    const { kind } = error;
    retry = onRetry;
    find("words").textContent = error.words || line.getAttribute(`data-words-${kind}`);
    find("sign-in").hidden = kind !== "signed-out";
    find("reload").hidden = kind !== "old" && kind !== "gone";
    find("again").hidden = !onRetry || ["signed-out", "old", "gone"].includes(kind);
    const row = document.activeElement?.closest("[data-row][id]");
    const here = `${location.pathname}${location.search}${row ? `#${row.id}` : location.hash}`;
    find("sign-in").href = `${signIn.pathname}?next=${encodeURIComponent(here)}`;
    document.querySelector("[data-toast]").hidden = true;
    line.hidden = false;
    announce(find("words").textContent);
  };

  const clearError = () => { if (find("sign-in").hidden) line.hidden = true; };

  find("again").addEventListener("click", () => {
    line.hidden = true;
    retry?.();
  });
  find("reload").addEventListener("click", () => location.reload());
  find("close").addEventListener("click", () => { line.hidden = true; });

  window.addEventListener("pagehide", () => { isLeaving = true; });
  window.addEventListener("pageshow", () => { isLeaving = false; });

  // Requests made by htmx.
  const errorIn = (xhr) =>
    errorOf(xhr.status, xhr.responseURL, xhr.getResponseHeader("Content-Type"), xhr.responseText);
  document.addEventListener("htmx:beforeSwap", (event) => {
    const error = errorIn(event.detail.xhr);
    if (!error || error.kind !== "signed-out") return;
    event.detail.shouldSwap = false;
    showError(error);
  });
  for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(name, ({ detail: { xhr, elt } }) => showError(errorIn(xhr), () => elt.click()));
  }
  document.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.successful) clearError(); });

  // Offline, a plain form would be replaced by the browser's error page, and what was typed would be lost.
  window.addEventListener("submit", (event) => {
    if (navigator.onLine || event.defaultPrevented || event.target.method === "dialog") return;
    event.preventDefault();
    const { target, submitter } = event;
    showError(new RequestError("unreached"), () => target.requestSubmit(submitter));
  });

  return { announce, send, showError };
})();
