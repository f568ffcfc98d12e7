// Tips about the element under the pointer or with the focus.

import { closest, make } from "./dom.ts";
import type { Behaviour } from "./parts.ts";
import { prose } from "./prose.ts";

let floating: HTMLElement | undefined;
/** The element that the floating tip describes. */
let about: Element | undefined;

export const telling: Behaviour = {
  listen(document) {
    const show = (event: Event) => {
      const element = closest<Element>(event, "[data-tip]");
      if (element === null) hide();
      else tell(element);
    };
    document.addEventListener("pointerover", show);
    document.addEventListener("focusin", show);
    document.addEventListener("focusout", hide);
    document.addEventListener("pointerdown", show);
    document.addEventListener("scroll", follow, { capture: true, passive: true });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
    });
  },
  prepare(root) {
    for (const line of root.querySelectorAll(".tip-line")) line.setAttribute("aria-live", "polite");
    if (floating !== undefined && !floating.hidden) hide();
  },
};

function hide(): void {
  if (floating !== undefined) floating.hidden = true;
}

/** Moves the tip on a scroll if its element has the focus, because the focus itself may cause the scroll. */
function follow(): void {
  if (about !== undefined && about === document.activeElement) place(about);
  else hide();
}

function tell(element: Element): void {
  const text = element.getAttribute("data-tip") ?? "";
  const line = lineFor(element);
  if (line !== null && isInSight(line)) {
    hide();
    line.replaceChildren(...prose(text));
  } else {
    float(text, element);
  }
}

/** The nearest line for tips in the same part of the page. */
function lineFor(element: Element): Element | null {
  for (let around: Element | null = element; around !== null; around = around.parentElement) {
    const line = around.querySelector(".tip-line");
    if (line !== null) return line;
    if (around.matches("header, section, figure, .steps, .rounds, [role=tabpanel]")) return null;
  }
  return null;
}

function isInSight(element: Element): boolean {
  const { top, bottom, width } = element.getBoundingClientRect();
  return width > 0 && bottom > 0 && top < window.innerHeight;
}

function float(text: string, element: Element): void {
  if (floating === undefined || !floating.isConnected) {
    floating = make("div", { class: "quaff quaff-tip", role: "tooltip", id: "quaff-tip" });
    document.body.append(floating);
  }
  floating.replaceChildren(...prose(text));
  floating.hidden = false;
  about = element;
  place(element);
}

function place(element: Element): void {
  if (floating === undefined || floating.hidden) return;
  const around = element.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const left = Math.max(4, Math.min(around.left, document.documentElement.clientWidth - width - 4));
  const below = around.bottom + 6;
  const top = below + height > window.innerHeight ? Math.max(4, around.top - height - 6) : below;
  floating.style.left = `${left}px`;
  floating.style.top = `${top}px`;
}
