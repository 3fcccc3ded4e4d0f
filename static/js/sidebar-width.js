// The sidebar's width, by dragging its edge or by keyboard. tokens.css has the widths, so that the server can set one.
(() => {
  "use strict";
  const edge = document.querySelector("[data-resizer]");
  const nav = document.getElementById("menu");
  const root = document.documentElement;
  const STEP = 10; // pixels
  const USUAL = 240;
  const [least, most] = [Number(edge.ariaValueMin), Number(edge.ariaValueMax)];

  const show = (width) => {
    const fit = Math.min(most, Math.max(least, Math.round(width / STEP) * STEP));
    if (fit === USUAL) delete root.dataset.sidebar;
    else root.dataset.sidebar = String(fit);
    edge.ariaValueNow = String(fit);
  };

  const change = (width) => {
    show(width);
    save();
  };
  let timer = 0;
  const save = () => {
    clearTimeout(timer);
    timer = setTimeout(() => reader.sidebar.attempt(() => reader.sidebar.view({ width: edge.ariaValueNow })), 300);
  };

  const widthAt = ({ clientX }) => {
    const { left, right } = nav.getBoundingClientRect();
    return getComputedStyle(nav).direction === "rtl" ? right - clientX : clientX - left;
  };

  edge.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    edge.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  edge.addEventListener("pointermove", (event) => { if (edge.hasPointerCapture(event.pointerId)) show(widthAt(event)); });
  edge.addEventListener("lostpointercapture", save);
  edge.addEventListener("dblclick", () => change(USUAL));
  edge.addEventListener("keydown", (event) => {
    const now = Number(edge.ariaValueNow);
    const wider = getComputedStyle(nav).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const isArrow = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const width = isArrow ? now + (event.key === wider ? STEP : -STEP) : { Home: least, End: most, Enter: USUAL }[event.key];
    if (width === undefined) return;
    event.preventDefault();
    change(width);
  });
})();
