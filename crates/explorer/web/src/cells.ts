// Cells of a picture. A line above the picture describes the cell that is under the pointer or has the focus.

import { closest, make } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

const pictures = "svg:is(.grid-drawing, .bank-drawing)";
const hint = "Point at a cell, or walk through the cells with the arrow keys.";

export const reading: Behaviour = {
  listen(document) {
    document.addEventListener("keydown", walk, { capture: true });
    document.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell !== null) chooseAlone(cell);
    });
  },
  prepare(root) {
    for (const svg of root.querySelectorAll<SVGSVGElement>(`.zoom ${pictures}`)) {
      if (svg.querySelector("g[data-tip]") === null) setUp(svg);
    }
  },
};

function cellOf(event: Event): SVGGElement | null {
  return closest<SVGGElement>(event, `${pictures} g[data-tip]`);
}

/** Moves to the next cell on an arrow key. The event then stops, because the same keys would also move the picture. */
function walk(event: KeyboardEvent): void {
  const cell = cellOf(event);
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (cell === null || step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  neighbour(cell, step[0]!, step[1]!)?.focus();
}

function setUp(svg: SVGSVGElement): void {
  const cells = [...svg.querySelectorAll<SVGGElement>("g:has(> title)")];
  for (const cell of cells) {
    cell.dataset.tip = cell.querySelector("title")?.textContent ?? "";
    cell.setAttribute("tabindex", "-1");
    cell.setAttribute("role", "img");
    cell.setAttribute("aria-label", cell.dataset.tip);
  }
  if (cells.length === 0) return;
  // A picture with the role of an image would hide its parts from screen readers.
  svg.setAttribute("role", "group");
  cells[0]!.setAttribute("tabindex", "0");
  const window = svg.closest(".zoom-window") ?? svg;
  window.before(make("p", { class: "tip-line", "aria-live": "polite" }, hint));
}

/** The next cell in a direction: the nearest one in the same row or column. */
function neighbour(cell: SVGGElement, right: number, down: number): SVGGElement | undefined {
  const [x, y] = placeOf(cell);
  let best: { cell: SVGGElement; far: number } | undefined;
  for (const other of cell.ownerSVGElement?.querySelectorAll<SVGGElement>("g[data-tip]") ?? []) {
    const [u, v] = placeOf(other);
    const far = right === 0 ? (v - y) * down : (u - x) * right;
    const isBeside = right === 0 ? u === x : v === y;
    if (isBeside && far > 0 && (best === undefined || far < best.far)) best = { cell: other, far };
  }
  return best?.cell;
}

function placeOf(cell: SVGGElement): [x: number, y: number] {
  const rect = cell.querySelector("rect");
  return [Number(rect?.getAttribute("x")), Number(rect?.getAttribute("y"))];
}

/** Makes one cell of each picture reachable by the tab key: the cell that last had the focus. */
function chooseAlone(cell: SVGGElement): void {
  for (const other of cell.ownerSVGElement?.querySelectorAll('g[tabindex="0"]') ?? []) other.setAttribute("tabindex", "-1");
  cell.setAttribute("tabindex", "0");
}
