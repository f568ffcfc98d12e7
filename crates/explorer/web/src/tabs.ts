// Tabs: a row of buttons, each with a panel.

import { closest, nearest } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

export const tabbing: Behaviour = {
  listen(document) {
    document.addEventListener("click", (event) => {
      const tab = closest(event, ".tabs > [role=tab]");
      if (tab !== null) selectTab(tab);
    });
    document.addEventListener("keydown", (event) => {
      const tab = closest(event, ".tabs > [role=tab]");
      const next = tab === null ? undefined : neighbour(tab, event);
      if (next === undefined) return;
      event.preventDefault();
      selectTab(next);
      next.focus();
    });
  },
  prepare(root) {
    for (const row of root.querySelectorAll<HTMLElement>(".tabs")) {
      row.setAttribute("role", "tablist");
      const tabs = [...row.querySelectorAll<HTMLElement>(":scope > [role=tab]")];
      const chosen = tabs.find((tab) => tab.getAttribute("aria-selected") === "true") ?? tabs[0];
      if (chosen !== undefined) selectTab(chosen);
    }
  },
};

/** The tab that an arrow key, Home or End selects. */
export function neighbour(tab: HTMLElement, event: KeyboardEvent): HTMLElement | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey) return undefined;
  const tabs = [...(tab.parentElement?.querySelectorAll<HTMLElement>(":scope > [role=tab]") ?? [])];
  const at = tabs.indexOf(tab);
  switch (event.key) {
    case "ArrowRight":
      return tabs[(at + 1) % tabs.length];
    case "ArrowLeft":
      return tabs[(at + tabs.length - 1) % tabs.length];
    case "Home":
      return tabs[0];
    case "End":
      return tabs[tabs.length - 1];
    default:
      return undefined;
  }
}

export function selectTab(chosen: HTMLElement): void {
  for (const tab of chosen.parentElement?.querySelectorAll<HTMLElement>(":scope > [role=tab]") ?? []) {
    const selected = tab === chosen;
    tab.setAttribute("aria-selected", String(selected));
    tab.tabIndex = selected ? 0 : -1;
    const id = tab.getAttribute("aria-controls");
    const panel = id === null ? null : nearest(tab, `#${CSS.escape(id)}`);
    if (panel instanceof HTMLElement) panel.hidden = !selected;
  }
}
