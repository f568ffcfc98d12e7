// The state in the address of the page.

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

  /**
   * Updates the address soon after an edit. The delay is needed because browsers limit how often the address may
   * change.
   */
  follow(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.replace(), DELAY);
  }

  /** Writes the current state to the address. */
  replace(): void {
    this.write("replaceState");
  }

  /** Makes a change that the "back" of the browser undoes. */
  push(change: () => void): void {
    this.replace();
    const before = this.fragment();
    change();
    this.write(this.fragment() === before ? "replaceState" : "pushState");
  }

  private write(method: "pushState" | "replaceState"): void {
    clearTimeout(this.waiting);
    const fragment = this.fragment();
    try {
      history[method](null, "", `#${fragment}`);
      this.current = location.hash.replace(/^#/, "");
    } catch {
      // A browser may refuse an address that is too long or changes too often. The page works without it.
    }
  }
}
