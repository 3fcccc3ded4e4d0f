// The one place where scripts ask the server, and where it is said what came between: a lost connection, a session that
// ended, a page that has grown old, a server that cannot. It stands in a line at the foot of the page with what to do.
globalThis.reader = (() => {
  "use strict";
  const LONGEST = 20_000; // milliseconds to wait for an answer; htmx waits as long (base.html)
  const line = document.querySelector("[data-trouble]");
  const find = (name) => line.querySelector(`[data-trouble-${name}]`);
  const signIn = new URL(find("sign-in").href);
  let again = null;
  let isLeft = false; // a page that is left breaks its requests off, which is no trouble

  // `kind` names the words that the page holds for it; `words` are the server's own.
  class Trouble extends Error {
    constructor(kind, words = "") {
      super(words || kind);
      Object.assign(this, { kind, words });
    }
  }

  const announce = (words) => { document.querySelector("[data-announce]").textContent = words; };

  const troubleOf = (status, url, type, text) => {
    if (!status) return new Trouble("unreached");
    if (status < 400) return url && new URL(url).pathname === signIn.pathname ? new Trouble("signed-out") : null;
    if (status === 503) return new Trouble("busy", type?.startsWith("text/plain") ? text : "");
    return new Trouble({ 403: "old", 404: "gone" }[status] ?? "broken");
  };

  // The answer; rejects with a Trouble. `isAside`: what nobody asked for does not say either that trouble is over.
  const send = async (url, { isAside = false, ...options } = {}) => {
    let answer;
    try {
      answer = await fetch(url, { signal: AbortSignal.timeout(LONGEST), ...options });
    } catch {
      throw new Trouble("unreached");
    }
    const text = answer.status === 503 ? await answer.text() : "";
    const trouble = troubleOf(answer.status, answer.url, answer.headers.get("Content-Type"), text);
    if (trouble) throw trouble;
    if (!isAside) settled();
    if (options.method === "POST") document.dispatchEvent(new CustomEvent("changed"));
    return answer;
  };

  // Say it. `retry` does once more what could not be done. What is no trouble is a fault of ours, and stays loud.
  const tell = (trouble, retry = null) => {
    if (!(trouble instanceof Trouble)) throw trouble;
    if (isLeft) return;
    const { kind } = trouble;
    again = retry;
    find("words").textContent = trouble.words || line.getAttribute(`data-words-${kind}`);
    find("sign-in").hidden = kind !== "signed-out";
    find("reload").hidden = kind !== "old" && kind !== "gone";
    find("again").hidden = !retry || ["signed-out", "old", "gone"].includes(kind);
    const row = document.activeElement?.closest("[data-row][id]");
    const here = `${location.pathname}${location.search}${row ? `#${row.id}` : location.hash}`;
    find("sign-in").href = `${signIn.pathname}?next=${encodeURIComponent(here)}`;
    document.querySelector("[data-toast]").hidden = true;
    line.hidden = false;
    announce(find("words").textContent);
  };

  const settled = () => { if (find("sign-in").hidden) line.hidden = true; };

  find("again").addEventListener("click", () => {
    line.hidden = true;
    again?.();
  });
  find("reload").addEventListener("click", () => location.reload());
  find("close").addEventListener("click", () => { line.hidden = true; });

  window.addEventListener("pagehide", () => { isLeft = true; });
  window.addEventListener("pageshow", () => { isLeft = false; });

  // What htmx asks for.
  const troubleIn = (xhr) => troubleOf(xhr.status, xhr.responseURL, xhr.getResponseHeader("Content-Type"), xhr.responseText);
  document.addEventListener("htmx:beforeSwap", (event) => {
    const trouble = troubleIn(event.detail.xhr);
    if (!trouble || trouble.kind !== "signed-out") return;
    event.detail.shouldSwap = false;
    tell(trouble);
  });
  for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(name, ({ detail: { xhr, elt } }) => tell(troubleIn(xhr), () => elt.click()));
  }
  document.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.successful) settled(); });

  // A form that no script sends would lose what was typed to the browser's own page.
  window.addEventListener("submit", (event) => {
    if (navigator.onLine || event.defaultPrevented || event.target.method === "dialog") return;
    event.preventDefault();
    const { target, submitter } = event;
    tell(new Trouble("unreached"), () => target.requestSubmit(submitter));
  });

  return { announce, send, settled, tell };
})();
