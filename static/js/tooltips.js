// Shows the whole of a name or title that its place cuts off, as a tooltip.
document.addEventListener("pointerover", ({ target }) => {
  const cut = target.closest(".name, .row-title a, .contents li a > span, .views-now, .source > span, .names");
  if (!cut || (cut.title && !("cut" in cut.dataset))) return;
  const isCut = cut.scrollWidth > cut.clientWidth || cut.scrollHeight > cut.clientHeight;
  cut.title = isCut ? cut.textContent.trim() : "";
  cut.dataset.cut = "";
});
