// Select elements whose options come from the engine.

import { make } from "./dom.ts";

export interface Choices {
  from?: string[];
  target?: string[];
  emit?: string[];
  machine?: string[];
}

export type Option = readonly [value: string, label: string];

export function plain(values: readonly string[]): Option[] {
  return values.map((value) => [value, value]);
}

/** Sets the options and the value of a select element. A value that is not an option is added as one. */
export function showSelect(select: HTMLSelectElement, options: readonly Option[], value: string): void {
  const all = options.some(([known]) => known === value) ? options : [...options, [value, value] as const];
  const key = JSON.stringify(all);
  if (select.dataset.options !== key) {
    select.dataset.options = key;
    select.replaceChildren(...all.map(([own, label]) => make("option", { value: own }, label)));
  }
  if (select.value !== value) select.value = value;
}
