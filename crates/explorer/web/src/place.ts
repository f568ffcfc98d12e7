// The step of an explanation and the round of an e-graph that the page shows, as a part of the address of the page.

import { showStep } from "./steps.ts";

/** For each name in the address, the selector of the element that contains the steps or rounds. */
const containers = { step: ".steps", round: ".rounds" } as const;

export class Place {
  /** The last fragment whose step and round are not shown yet. */
  private wanted: string | undefined;

  constructor(private readonly output: HTMLElement) {}

  /** Stores a fragment. `settle` shows its step and round after the view is loaded. */
  read(fragment: string): void {
    this.wanted = fragment;
  }

  /** Shows the step and the round of the stored fragment, and forgets the fragment. */
  settle(): void {
    if (this.wanted === undefined) return;
    const values = new URLSearchParams(this.wanted.replace(/^#/, ""));
    this.wanted = undefined;
    for (const [name, selector] of Object.entries(containers)) {
      const value = values.get(name);
      const container = this.output.querySelector<HTMLElement>(selector);
      if (value !== null && container !== null) showStep(container, value === "all" ? undefined : Number(value) - 1);
    }
  }

  /**
   * The end of the fragment with the numbers of the step and the round, from 1. It has no entry for a first step or
   * round.
   */
  text(): string {
    if (this.wanted !== undefined) {
      const values = new URLSearchParams(this.wanted.replace(/^#/, ""));
      return pairs((name) => values.get(name));
    }
    return pairs((_, selector) => {
      const at = this.output.querySelector<HTMLElement>(selector)?.dataset.at;
      return at === undefined || at === "0" ? null : at === "all" ? at : String(Number(at) + 1);
    });
  }
}

function pairs(value: (name: string, selector: string) => string | null): string {
  const all = Object.entries(containers).map(([name, selector]) => [name, value(name, selector)] as const);
  return all.map(([name, text]) => (text === null ? "" : `&${name}=${encodeURIComponent(text)}`)).join("");
}
