// Replaces a fragment of HTML, but keeps the control that is in use. A drag therefore continues, and the focus stays.

import { showStep } from "./steps.ts";
import { sortBy, sortedBy } from "./tables.ts";
import { selectTab } from "./tabs.ts";

/** Puts `html` into `output`. Opened and chosen elements keep their state if the new fragment has them, too. */
export function graft(output: HTMLElement, html: string, prepare: () => void): void {
  const focused = document.activeElement;
  const used = focused instanceof HTMLElement && output.contains(focused) && focused !== output ? focused : undefined;
  const restore = remember(output);
  const template = document.createElement("template");
  template.innerHTML = html;
  const twin = used === undefined ? undefined : twinOf(used, template.content);
  if (used === undefined || twin === undefined || !used.matches("input, select, textarea") || !graftAround(output, used, template.content, twin)) {
    output.replaceChildren(template.content);
    if (used !== undefined) (twin ?? output).focus({ preventScroll: true });
  }
  prepare();
  restore();
}

/** The control of the new fragment that corresponds to the control `used` of the old fragment. */
function twinOf(used: HTMLElement, content: DocumentFragment): HTMLElement | undefined {
  for (const name of ["data-bind", "data-bind-list", "data-filter", "data-set", "id", "href"]) {
    const value = used.getAttribute(name);
    if (value === null) continue;
    const item = used.getAttribute("value");
    const same = [...content.querySelectorAll<HTMLElement>(`${used.localName}[${name}="${CSS.escape(value)}"]`)];
    return same.find((other) => item === null || name !== "data-bind-list" || other.getAttribute("value") === item);
  }
  return undefined;
}

/**
 * Replaces everything around `used` by everything around `twin`. Returns false if their chains of parent elements
 * differ.
 */
function graftAround(output: HTMLElement, used: HTMLElement, content: DocumentFragment, twin: HTMLElement): boolean {
  const [old, fresh] = [chain(used, output), chain(twin, content)];
  if (old.length !== fresh.length || old.some((element, at) => element.localName !== fresh[at]!.localName)) return false;
  old.forEach((element, at) => {
    const other = fresh[at]!;
    for (const child of [...element.parentNode!.childNodes]) if (child !== element) child.remove();
    const siblings = [...other.parentNode!.childNodes];
    const place = siblings.indexOf(other);
    element.before(...siblings.slice(0, place));
    element.after(...siblings.slice(place + 1));
    for (const { name } of [...element.attributes]) if (!other.hasAttribute(name)) element.removeAttribute(name);
    for (const { name, value } of other.attributes) if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  });
  return true;
}

/** The elements from a child of `top` down to `element`. */
function chain(element: Element, top: Node): Element[] {
  const out: Element[] = [];
  for (let at: Element | null = element; at !== null && at !== top; at = at.parentElement) out.unshift(at);
  return out;
}

/**
 * Remembers open details, chosen tabs, shown steps, sorted columns and filters. Returns a function that restores them.
 */
function remember(output: HTMLElement): () => void {
  const details = new Map(all(output, "details").map((element) => [summary(element), (element as HTMLDetailsElement).open]));
  const tabs = new Set(all(output, ".tabs > [aria-selected=true]").map((tab) => tab.getAttribute("aria-controls")));
  const steps = all(output, ".steps, .rounds").map((element) => (element as HTMLElement).dataset.at);
  const sorted = all(output, "table.sortable").map((table) => sortedBy(table as HTMLTableElement));
  const filters = new Map(all(output, "input.filter").map((field) => [field.getAttribute("data-filter"), (field as HTMLInputElement).value]));
  return () => {
    for (const element of all(output, "details")) {
      const open = details.get(summary(element));
      if (open !== undefined) (element as HTMLDetailsElement).open = open;
    }
    for (const tab of all(output, ".tabs > [role=tab]")) if (tabs.has(tab.getAttribute("aria-controls"))) selectTab(tab as HTMLElement);
    const containers = all(output, ".steps, .rounds") as HTMLElement[];
    if (containers.length === steps.length) {
      containers.forEach((container, at) => {
        const shown = steps[at];
        if (shown !== undefined && container.dataset.at !== undefined) showStep(container, shown === "all" ? undefined : Number(shown));
      });
    }
    const tables = all(output, "table.sortable") as HTMLTableElement[];
    if (tables.length === sorted.length) {
      tables.forEach((table, at) => {
        const { column, down } = sorted[at] ?? {};
        const head = column === undefined ? undefined : table.querySelectorAll<HTMLTableCellElement>("thead th")[column];
        if (head?.matches("[data-sort]")) sortBy(head, down);
      });
    }
    for (const field of all(output, "input.filter") as HTMLInputElement[]) {
      const value = filters.get(field.getAttribute("data-filter"));
      if (value !== undefined && value !== "") {
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
  };
}

function all(output: HTMLElement, selector: string): Element[] {
  return [...output.querySelectorAll(selector)];
}

function summary(details: Element): string {
  return details.id || (details.querySelector(":scope > summary")?.textContent ?? "");
}
