// Tables that can be sorted by a column, and fields that filter rows.

import { closest, make, nearest } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

export const sorting: Behaviour = {
  listen(document) {
    document.addEventListener("click", (event) => {
      const head = closest<HTMLTableCellElement>(event, "table.sortable th[data-sort]");
      if (head !== null) sortBy(head);
    });
  },
  prepare(root) {
    for (const head of root.querySelectorAll<HTMLElement>("table.sortable th[data-sort]")) {
      if (head.querySelector("button") === null) head.replaceChildren(make("button", { type: "button", class: "sort" }, ...head.childNodes));
    }
  },
};

/** The column that a table is sorted by, and whether the order is descending. */
export function sortedBy(table: HTMLTableElement): { column: number; down: boolean } | undefined {
  const head = table.querySelector<HTMLTableCellElement>("th[aria-sort]");
  return head === null ? undefined : { column: head.cellIndex, down: head.getAttribute("aria-sort") === "descending" };
}

/** Sorts by a column. Without `downwards`, the direction is reversed. */
export function sortBy(head: HTMLTableCellElement, downwards?: boolean): void {
  const table = head.closest("table")!;
  const down = downwards ?? head.getAttribute("aria-sort") === "ascending";
  for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[head.cellIndex]) }));
    rows.sort((a, b) => compare(a.key, b.key) * (down ? -1 : 1));
    body.append(...rows.map(({ row }) => row));
  }
}

function keyOf(cell: HTMLTableCellElement | undefined): number | string {
  const value = cell?.dataset.value;
  if (value !== undefined && value !== "" && !Number.isNaN(Number(value))) return Number(value);
  return value ?? cell?.textContent?.trim() ?? "";
}

/** Compares cells: numbers by value, and numbers before texts. */
function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  return a.localeCompare(b, "en", { numeric: true });
}

export const filtering: Behaviour = {
  listen(document) {
    document.addEventListener("input", (event) => {
      const field = closest<HTMLInputElement>(event, "input.filter[data-filter]");
      if (field !== null) filter(field);
    });
  },
  prepare(root) {
    for (const field of root.querySelectorAll<HTMLInputElement>("input.filter[data-filter]")) if (field.value !== "") filter(field);
  },
};

function filter(field: HTMLInputElement): void {
  const name = field.dataset.filter ?? "";
  const target = name === "" ? (field.closest("details, section")?.querySelector("table, ul, ol") ?? null) : nearest(field, name);
  if (target === null) return;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const inside = target.querySelector("tbody, ul, ol") ?? target;
  const bodies = target.querySelectorAll<HTMLElement>("tbody > tr");
  for (const item of bodies.length > 0 ? bodies : inside.children) {
    const text = item.textContent?.toLowerCase() ?? "";
    if (item instanceof HTMLElement) item.hidden = !words.every((word) => text.includes(word));
  }
}
