// Texts about what is under the pointer or has the focus.

import { closest, make } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

let floating: HTMLElement | undefined;

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
    document.addEventListener("scroll", hide, { capture: true, passive: true });
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

function tell(element: Element): void {
  const text = element.getAttribute("data-tip") ?? "";
  const line = lineFor(element);
  if (line !== null && isInSight(line)) {
    hide();
    line.textContent = text;
  } else {
    float(text, element);
  }
}

/** The nearest line for tips; one of another part does not count. */
function lineFor(element: Element): Element | null {
  for (let around: Element | null = element; around !== null; around = around.parentElement) {
    const line = around.querySelector(".tip-line");
    if (line !== null) return line;
    if (around.matches("section, figure, .steps, .rounds, [role=tabpanel]")) return null;
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
  floating.textContent = text;
  floating.hidden = false;
  const around = element.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const left = Math.max(4, Math.min(around.left, document.documentElement.clientWidth - width - 4));
  const below = around.bottom + 6;
  const top = below + height > window.innerHeight ? Math.max(4, around.top - height - 6) : below;
  floating.style.left = `${left}px`;
  floating.style.top = `${top}px`;
}
