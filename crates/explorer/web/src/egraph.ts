// Classes of an e-graph. One class is selected, its neighbours are marked as near, and the text about it is shown.

import { closest } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

export const selecting: Behaviour = {
  listen(document) {
    document.addEventListener("click", (event) => {
      const link = closest(event, '.egraph a[href^="#e"]');
      const name = link === null ? undefined : /^#e(\d+)$/.exec(link.getAttribute("href") ?? "")?.[1];
      if (link !== null && name !== undefined) {
        event.preventDefault();
        select(link.closest(".egraph")!, name);
        return;
      }
      const group = closest<SVGElement>(event, ".egraph g.class[data-class]");
      if (group !== null) selectGroup(group);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      const group = closest<SVGElement>(event, ".egraph g.class[data-class]");
      if (group === null || event.target !== group) return;
      event.preventDefault();
      selectGroup(group);
    });
  },
  prepare(root) {
    for (const group of root.querySelectorAll<SVGElement>(".egraph g.class[data-class]")) {
      if (!group.hasAttribute("tabindex")) group.setAttribute("tabindex", "0");
      if (!group.hasAttribute("role")) group.setAttribute("role", "button");
    }
    // Only one of the sections about classes is shown. At first, the section about a result is shown.
    for (const egraph of root.querySelectorAll(".egraph:not([data-selected])")) {
      const first = egraph.querySelector<SVGElement>("g.class.root[data-class]") ?? egraph.querySelector<SVGElement>("g.class[data-class]");
      if (first !== null) selectGroup(first);
    }
  },
};

function selectGroup(group: SVGElement): void {
  select(group.closest(".egraph")!, group.dataset.class ?? "");
}

export function select(egraph: Element, name: string): void {
  egraph.setAttribute("data-selected", name);
  const near = neighbours(egraph, name);
  for (const group of egraph.querySelectorAll<SVGElement>("g.class[data-class]")) {
    const own = group.dataset.class ?? "";
    group.classList.toggle("selected", own === name);
    group.classList.toggle("near", own !== name && near.has(own));
    group.setAttribute("aria-pressed", String(own === name));
  }
  for (const edge of egraph.querySelectorAll<SVGElement>("[data-from][data-to]")) {
    edge.classList.toggle("near", edge.dataset.from === name || edge.dataset.to === name);
  }
  for (const about of egraph.querySelectorAll<HTMLElement>(".about")) about.hidden = about.id !== `class-${name}`;
}

/**
 * The classes with an edge to this one: by `data-from` and `data-to`, by `data-near`, or by links in the text about it.
 */
function neighbours(egraph: Element, name: string): Set<string> {
  const near = new Set<string>();
  for (const edge of egraph.querySelectorAll<SVGElement>("[data-from][data-to]")) {
    if (edge.dataset.from === name) near.add(edge.dataset.to!);
    if (edge.dataset.to === name) near.add(edge.dataset.from!);
  }
  const listed = egraph.querySelector<SVGElement>(`g.class[data-class="${CSS.escape(name)}"]`)?.dataset.near;
  for (const other of listed?.split(/\s+/) ?? []) near.add(other);
  if (near.size === 0) {
    for (const link of egraph.querySelectorAll(`#${CSS.escape(`class-${name}`)} a[href^="#e"]`)) {
      near.add(link.getAttribute("href")!.slice(2));
    }
  }
  return near;
}
