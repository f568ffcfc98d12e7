// Helpers around the document.

type Content = Node | string;

/** A new element with attributes and content; strings become text. */
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

/** The element of the page that must be there. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as T;
}

/** The element of `selector` that is nearest: the first in the closest ancestor that has one. */
export function nearest(from: Element, selector: string): Element | null {
  for (let around: Element | null = from; around !== null; around = around.parentElement) {
    const found = around.querySelector(selector);
    if (found !== null) return found;
  }
  return null;
}

/** The closest ancestor of an event's target, itself included. */
export function closest<T extends Element = HTMLElement>(event: Event, selector: string): T | null {
  return event.target instanceof Element ? event.target.closest<T>(selector) : null;
}

let live: HTMLElement | undefined;

/** Says a text to readers that cannot see. */
export function announce(text: string): void {
  if (live === undefined || !live.isConnected) {
    live = make("div", { role: "status", "aria-live": "polite", class: "quaff-unseen" });
    document.body.append(live);
  }
  live.textContent = text;
}
