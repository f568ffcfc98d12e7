// Pictures that are fitted at first, and can then be dragged and zoomed.

import Panzoom, { type PanzoomObject } from "@panzoom/panzoom";
import { button, make } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

/** The factor of one step of the zoom. */
const ZOOM = 1.5;

/** The pictures on the page. A picture that leaves the page must release its listeners on the document. */
const active = new Map<SVGSVGElement, PanzoomObject>();

export const zooming: Behaviour = {
  prepare(root) {
    for (const [svg, panzoom] of active) {
      if (svg.isConnected) continue;
      panzoom.destroy();
      active.delete(svg);
    }
    for (const box of root.querySelectorAll<HTMLElement>(".zoom")) {
      const svg = box.querySelector("svg");
      if (svg !== null && svg.closest(".zoom-window") === null) setUp(box, svg);
    }
  },
};

function setUp(box: HTMLElement, svg: SVGSVGElement): void {
  giveViewBox(svg);
  const name = svg.querySelector("title")?.textContent ?? svg.getAttribute("aria-label") ?? "picture";
  const view = make("div", { class: "zoom-window", tabindex: "0", role: "group", "aria-label": `${name}: + and - zoom, 0 fits` });
  svg.before(view);
  view.append(svg);
  // On a touch screen, a drag scrolls the page while the picture is not zoomed.
  const panzoom = Panzoom(svg, {
    canvas: true,
    cursor: "grab",
    maxScale: 24,
    minScale: 0.5,
    step: 0.4,
    animate: false,
    touchAction: "pan-x pan-y",
    handleStartEvent: () => {},
  });
  active.set(svg, panzoom);
  const fitTouch = () => {
    view.style.touchAction = svg.style.touchAction = panzoom.getScale() === 1 ? "pan-x pan-y" : "none";
  };
  svg.addEventListener("panzoomzoom", fitTouch);
  svg.addEventListener("panzoomreset", fitTouch);
  // Zooming keeps the place of the selected class. Without a selected class, it keeps the middle of the picture.
  const zoom = (factor: number) => () => {
    const { left, top, width, height } = (svg.querySelector("g.class.selected") ?? svg).getBoundingClientRect();
    panzoom.zoomToPoint(panzoom.getScale() * factor, { clientX: left + width / 2, clientY: top + height / 2 });
  };
  const acts = { "+": zoom(ZOOM), "-": zoom(1 / ZOOM), "0": () => panzoom.reset() };
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key === "=" ? "+" : event.key;
    const shift = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[key];
    if (key in acts) acts[key as keyof typeof acts]();
    else if (shift !== undefined) panzoom.pan(shift[0]! / panzoom.getScale(), shift[1]! / panzoom.getScale(), { relative: true });
    else return;
    event.preventDefault();
  });
  view.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || view.contains(document.activeElement)) panzoom.zoomWithWheel(event);
    },
    { passive: false },
  );
  dragsAreNoClicks(view);
  box.prepend(
    make(
      "div",
      { class: "zoom-bar" },
      button("+", { "aria-label": "zoom in" }, acts["+"]),
      button("−", { "aria-label": "zoom out" }, acts["-"]),
      button("fit", {}, acts["0"]),
    ),
  );
}

/** Adds a view box to a picture, because a picture without one cannot be scaled. */
function giveViewBox(svg: SVGSVGElement): void {
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  if (!svg.hasAttribute("viewBox") && width > 0 && height > 0) svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
}

function dragsAreNoClicks(view: HTMLElement): void {
  let [x, y] = [0, 0];
  view.addEventListener("pointerdown", (event) => ([x, y] = [event.clientX, event.clientY]), true);
  view.addEventListener(
    "click",
    (event) => {
      const far = event.detail > 0 && Math.hypot(event.clientX - x, event.clientY - y) > 5;
      if (far) event.stopPropagation();
    },
    true,
  );
}
