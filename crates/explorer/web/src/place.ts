// The step and the round that the page shows, as a part of its address.

import { showStep } from "./steps.ts";

/** The names in the address, each with its container. */
const containers = { step: ".steps", round: ".rounds" } as const;

export class Place {
  /** The fragment whose place is not shown yet. */
  private wanted: string | undefined;

  constructor(private readonly output: HTMLElement) {}

  /** Takes the place from a fragment. It is shown when the view is there. */
  read(fragment: string): void {
    this.wanted = fragment;
  }

  /** Shows the place that was read last, once. */
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

  /** The end of the fragment for the place, counted from 1. It is empty for a first step and a first round. */
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
