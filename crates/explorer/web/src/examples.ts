// The examples that the engine writes into the page.

import type { Store } from "./bind.ts";
import { byId, make } from "./dom.ts";
import { embedded } from "./embedded.ts";
import { fresh, isView, merge, type State, toFragment, type View } from "./state.ts";

export interface Example {
  name: string;
  about?: string;
  view?: View;
  state: Partial<State> & { view?: View };
}

const examples = embedded<Example[]>("examples") ?? [];

/** The state and the view of the first example, for a page that opens without a state. */
export function first(): { state: State; view: View } {
  const example = examples[0];
  return { state: merge(fresh(), example?.state), view: (example && viewOf(example)) ?? "answer" };
}

/**
 * Fills the select element. `shown` means that the page shows the first example. Returns a function that clears the
 * choice.
 */
export function startExamples(store: Store, shown: boolean): () => void {
  const select = byId<HTMLSelectElement>("example");
  select.append(make("option", { value: "" }, "Choose…"));
  examples.forEach(({ name, about = "" }, index) => select.append(make("option", { value: String(index), title: about }, name)));
  const about = byId("about-example");
  const tell = (example: Example | undefined) => {
    about.textContent = example?.about ?? "";
    about.hidden = about.textContent === "";
  };
  if (shown && examples.length > 0) {
    select.value = "0";
    tell(examples[0]);
  }
  select.addEventListener("change", () => {
    const example = select.value === "" ? undefined : examples[Number(select.value)];
    if (example !== undefined) store.change(merge(fresh(), example.state), viewOf(example) ?? "answer");
    select.value = example === undefined ? "" : String(examples.indexOf(example));
    tell(example);
  });
  return () => {
    select.value = "";
    tell(undefined);
  };
}

/** A link for each example. */
export function exampleLinks(): HTMLElement[] {
  return examples.map((example) => {
    const fragment = toFragment(viewOf(example) ?? "answer", merge(fresh(), example.state));
    return make("li", {}, make("a", { href: `#${fragment}` }, example.name), example.about === undefined ? "" : ` ${example.about}`);
  });
}

function viewOf({ view, state }: Example): View | undefined {
  return isView(view) ? view : isView(state.view) ? state.view : undefined;
}
