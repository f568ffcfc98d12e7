// Lists of problems, as plain text with buttons.

import { button, make } from "./dom.ts";
import type { Fix, Problem } from "./engine.ts";
import { prose } from "./prose.ts";

export interface Acts {
  apply?(problem: Problem, fix: Fix): void;
  /** Selects the place of a problem. */
  place?(problem: Problem): void;
}

/** Lists `problems` in `container`. The container is not changed if the problems are the same. */
export function list(container: HTMLElement, problems: readonly Problem[], acts: Acts = {}): void {
  const key = JSON.stringify(problems);
  if (container.dataset.problems === key || (container.dataset.problems === undefined && problems.length === 0)) return;
  container.dataset.problems = key;
  const items = problems.map((problem) => item(problem, acts));
  container.replaceChildren(...(items.length > 0 ? [make("ul", {}, ...items)] : []));
}

function item(problem: Problem, { apply, place }: Acts): HTMLElement {
  const { severity, message, help, from, to, fixes } = problem;
  const out = make("li", { class: severity }, make("strong", {}, severity === "error" ? "Error: " : "Warning: "), ...prose(message));
  if (help !== "") out.append(make("span", { class: "help" }, ...prose(help)));
  const buttons: HTMLElement[] = [];
  if (place !== undefined && from < to) buttons.push(button("Show the place", { class: "small" }, () => place(problem)));
  for (const fix of apply === undefined ? [] : fixes) buttons.push(button(fix.label, { class: "small fix" }, () => apply!(problem, fix)));
  if (buttons.length > 0) out.append(make("span", { class: "acts" }, ...buttons));
  return out;
}
