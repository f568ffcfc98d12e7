// Helpers for the document.

type Content = Node | string;

/** Creates an element with attributes and content. Strings become text nodes. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...content: Content[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

export function button(label: string, attributes: Record<string, string>, click: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", click);
  return element;
}

/** The element with this id, which must exist. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** The nearest element that matches `selector`: the first match in the closest ancestor that contains one. */
export function nearest(from: Element, selector: string): Element | null {
  for (let around: Element | null = from; around !== null; around = around.parentElement) {
    const found = around.querySelector(selector);
    if (found !== null) return found;
  }
  return null;
}

/** The closest element that matches, starting from the target of an event. */
export function closest<T extends Element = HTMLElement>(event: Event, selector: string): T | null {
  return event.target instanceof Element ? event.target.closest<T>(selector) : null;
}

let live: HTMLElement | undefined;

/** Announces a text to screen readers. */
export function announce(text: string): void {
  if (live === undefined || !live.isConnected) {
    live = make("div", { role: "status", "aria-live": "polite", class: "quaff-unseen" });
    document.body.append(live);
  }
  live.textContent = text;
}
