// Passkeys: a form with data-passkey asks the browser to "get" or "create" one, stores the result in its `passkey`
// field and is submitted. These forms stay hidden in browsers without passkeys.
(() => {
  const Key = window.PublicKeyCredential;
  if (!Key?.parseRequestOptionsFromJSON) return;

  const requestKey = async (form) => {
    const response = await fetch(form.dataset.passkeyOptions, { method: "POST", body: new FormData(form) });
    const options = await response.json();
    return form.dataset.passkey === "create"
      ? navigator.credentials.create({ publicKey: Key.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: Key.parseRequestOptionsFromJSON(options) });
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const failed = form.querySelector("[data-passkey-failed]");
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      failed.hidden = true;
      try {
        form.elements.passkey.value = JSON.stringify(await requestKey(form));
        form.submit();
      } catch {
        failed.hidden = false;
      }
    });
  }
})();
