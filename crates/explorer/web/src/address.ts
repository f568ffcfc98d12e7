// The state in the page's address.

const DELAY = 200;

export class Address {
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private current = location.hash.replace(/^#/, "");

  constructor(
    private readonly fragment: () => string,
    changed: (fragment: string) => void,
  ) {
    window.addEventListener("hashchange", () => {
      const fragment = location.hash.replace(/^#/, "");
      if (fragment === this.current) return;
      clearTimeout(this.waiting);
      this.current = fragment;
      changed(fragment);
    });
  }

  /** After an edit: the address follows soon, because browsers limit how often it may change. */
  follow(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.replace(), DELAY);
  }

  /** The address says the state now. */
  replace(): void {
    this.write("replaceState");
  }

  /** The address says the state now, and "back" leads to the one before. */
  push(): void {
    this.write("pushState");
  }

  private write(method: "pushState" | "replaceState"): void {
    clearTimeout(this.waiting);
    const fragment = this.fragment();
    try {
      history[method](null, "", `#${fragment}`);
      this.current = location.hash.replace(/^#/, "");
    } catch {
      // A browser may refuse an address that is too long or changes too often; the page works without.
    }
  }
}
