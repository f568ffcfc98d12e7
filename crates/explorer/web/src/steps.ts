// Shows one step at a time, with a slider over the steps of a story or the rounds of an e-graph.

import { button, closest, make } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

export const stepping: Behaviour = {
  listen(document) {
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (closest(event, "input, select, textarea, [role=tab], .zoom, [contenteditable=true]") !== null) return;
      const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      const container = closest(event, ".steps, .rounds");
      if (move === 0 || container === null) return;
      event.preventDefault();
      showStep(container, (shown(container) ?? -1) + move);
    });
  },
  prepare(root) {
    for (const container of root.querySelectorAll<HTMLElement>(".steps, .rounds")) {
      if (container.querySelector(":scope > .step-bar") !== null || stepsOf(container).length < 2) continue;
      container.prepend(bar(container));
      if (!container.hasAttribute("tabindex")) container.tabIndex = -1;
      const start = container.dataset.at ?? container.dataset.start ?? "0";
      showStep(container, start === "all" ? undefined : Number(start));
    }
  },
};

function stepsOf(container: HTMLElement): HTMLElement[] {
  const children = [...container.children].filter((child): child is HTMLElement => child instanceof HTMLElement);
  const steps = children.filter((child) => child.matches(".step"));
  return steps.length > 0 || container.matches(".steps") ? steps : children.filter((child) => !child.matches(".step-bar"));
}

/** The index of the only step that is shown. Undefined if all steps are shown. */
function shown(container: HTMLElement): number | undefined {
  return container.dataset.at === "all" || container.dataset.at === undefined ? undefined : Number(container.dataset.at);
}

function bar(container: HTMLElement): HTMLElement {
  const word = container.matches(".rounds") ? "round" : "step";
  const last = stepsOf(container).length - 1;
  const slider = make("input", { type: "range", class: "step-slider", min: "0", max: String(last), step: "1", "aria-label": word });
  slider.addEventListener("input", () => showStep(container, Number(slider.value)));
  const all = make("input", { type: "checkbox", class: "step-all" });
  all.addEventListener("change", () => showStep(container, all.checked ? undefined : Number(slider.value)));
  const move = (by: number) => () => showStep(container, Number(slider.value) + by);
  return make(
    "div",
    { class: "step-bar" },
    button("‹", { class: "step-back", "aria-label": `${word} before` }, move(-1)),
    slider,
    button("›", { class: "step-on", "aria-label": `next ${word}` }, move(1)),
    make("output", { class: "step-text", "aria-live": "polite" }),
    make("label", {}, all, " all"),
  );
}

/**
 * Shows one step, or all steps if there is no index. The event `step` of the container has the index, or -1 for all.
 */
export function showStep(container: HTMLElement, index: number | undefined): void {
  const steps = stepsOf(container);
  const bounded = index === undefined ? undefined : Math.max(0, Math.min(steps.length - 1, Math.trunc(index) || 0));
  steps.forEach((step, at) => (step.hidden = bounded !== undefined && at !== bounded));
  container.dataset.at = bounded === undefined ? "all" : String(bounded);
  const find = <T extends Element>(name: string) => container.querySelector<T>(`:scope > .step-bar ${name}`);
  const [slider, all, text] = [find<HTMLInputElement>(".step-slider"), find<HTMLInputElement>(".step-all"), find(".step-text")];
  if (slider !== null) {
    if (bounded !== undefined) slider.value = String(bounded);
    slider.setAttribute("aria-valuetext", `${Number(slider.value) + 1} of ${steps.length}`);
  }
  if (all !== null) all.checked = bounded === undefined;
  if (text !== null) text.textContent = bounded === undefined ? `all ${steps.length}` : `${bounded + 1} of ${steps.length}`;
  container.dispatchEvent(new CustomEvent("step", { detail: bounded ?? -1, bubbles: true }));
}
