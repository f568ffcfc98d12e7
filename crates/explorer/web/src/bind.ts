// Controls in the HTML of the engine that change the state of the inputs.

import { closest } from "./dom.ts";
import { isView, merge, type State, type View, withValue } from "./state.ts";

export interface Store {
  state(): State;
  /** Makes an edit, and updates the address. If a view is given, "back" undoes the edit. */
  change(state: State, view?: View): void;
  /** Makes a change that a button requests. "Back" and a button that the page then shows undo the change. */
  apply(state: State, view?: View): void;
}

export function bind(output: HTMLElement, store: Store): void {
  output.addEventListener("click", (event) => {
    const button = closest(event, "[data-set]");
    if (button === null) return;
    event.preventDefault();
    set(store, JSON.parse(button.dataset.set ?? "{}"));
  });
  output.addEventListener("input", (event) => {
    const control = closest<HTMLInputElement>(event, "[data-bind], [data-bind-list]");
    if (control === null) return;
    const { bind: path, bindList: listed } = control.dataset;
    if (listed !== undefined) store.change(withItem(store.state(), listed, control.getAttribute("value") ?? "", !control.checked));
    else if (path !== undefined) store.change(withValue(store.state(), path, valueOf(control)));
  });
}

/** Merges a part into the state. The field `view` of the part changes the view. */
export function set(store: Store, part: Partial<State> & { view?: unknown }): void {
  store.apply(merge(store.state(), part), isView(part.view) ? part.view : undefined);
}

function valueOf(control: HTMLInputElement): string | number {
  if (control.type === "checkbox") return Number(control.checked);
  if (control.type === "range" || control.type === "number") return control.value === "" ? "" : Number(control.value);
  return control.value;
}

/** The state with an item added to, or removed from, one of its lists. */
function withItem(state: State, path: string, item: string, has: boolean): State {
  const list = (state as unknown as Record<string, unknown>)[path];
  if (!Array.isArray(list)) return state;
  const others = list.filter((other) => other !== item);
  return merge(state, { [path]: has ? [...others, item] : others });
}
