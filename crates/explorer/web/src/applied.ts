// After a button has changed inputs, a line names these inputs and has a button that restores them.

import { byId } from "./dom.ts";
import type { State, View } from "./state.ts";

/** The names of the inputs in the left column, as the line shows them. */
const names = {
  text: "index",
  from: "language",
  vars: "ranges",
  assume: "conditions",
  chain: "view or layout",
  add: "more rules",
} as const;

/** The inputs with an editor, which can undo changes of its own text. */
const edited = ["text", "chain", "add"] as const;

export interface Place {
  state: State;
  view: View;
}

export class Applied {
  private readonly line = byId("applied");
  private readonly text = byId("applied-text");
  private before: Place | undefined;
  private after: State | undefined;

  constructor(restore: (place: Place) => void) {
    byId("undo").addEventListener("click", () => {
      const { before } = this;
      this.forget();
      if (before !== undefined) restore(before);
    });
  }

  /** Shows the line after a button has changed `before` to `after`. */
  offer(before: Place, after: State): void {
    const changed = Object.entries(names).filter(([field]) => differ(before.state, after, field as keyof State));
    if (changed.length === 0) return this.forget();
    [this.before, this.after] = [before, after];
    this.text.textContent = `Changed: ${changed.map(([, name]) => name).join(", ")}.`;
    this.line.hidden = false;
  }

  forget(): void {
    this.before = this.after = undefined;
    this.text.textContent = "";
    this.line.hidden = true;
  }

  /** The place before the change, if an undo in an editor has led to the state `next`. Otherwise undefined. */
  undoneBy(next: State): Place | undefined {
    const { before, after } = this;
    if (before === undefined || after === undefined) return undefined;
    const isUndone = edited.some((field) => differ(before.state, after, field) && same(next, { ...after, [field]: before.state[field] }));
    return isUndone ? before : undefined;
  }
}

function differ(a: State, b: State, field: keyof State): boolean {
  return JSON.stringify(a[field]) !== JSON.stringify(b[field]);
}

function same(a: State, b: State): boolean {
  return (Object.keys(a) as (keyof State)[]).every((field) => !differ(a, b, field));
}
