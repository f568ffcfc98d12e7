// The tabs of the six views.

import { byId, make } from "./dom.ts";
import { type View, views } from "./state.ts";
import { neighbour } from "./tabs.ts";

const names: Record<View, string> = {
  answer: "Answer",
  story: "Story",
  memory: "Memory",
  layout: "Layout",
  kernel: "Kernel",
  rules: "Rules",
};

export class ViewTabs {
  private readonly tabs = new Map<View, HTMLButtonElement>();

  constructor(choose: (view: View) => void) {
    const row = byId("views");
    views.forEach((view, index) => {
      const attributes = { type: "button", role: "tab", id: `view-${view}`, "aria-controls": "result", title: `Alt+${index + 1}` };
      const tab = make("button", attributes, names[view]);
      tab.addEventListener("click", () => choose(view));
      tab.addEventListener("keydown", (event) => {
        const next = neighbour(tab, event);
        if (next === undefined) return;
        event.preventDefault();
        next.focus();
        next.click();
      });
      this.tabs.set(view, tab);
      row.append(tab);
    });
    document.addEventListener("keydown", (event) => {
      const digit = /^(?:Digit|Numpad)([1-6])$/.exec(event.code)?.[1];
      if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || digit === undefined) return;
      event.preventDefault();
      choose(views[Number(digit) - 1]!);
    });
  }

  show(chosen: View): void {
    for (const [view, tab] of this.tabs) {
      tab.setAttribute("aria-selected", String(view === chosen));
      tab.tabIndex = view === chosen ? 0 : -1;
    }
    byId("answer-name").textContent = names[chosen];
    byId("result").setAttribute("aria-labelledby", `view-${chosen}`);
  }
}
