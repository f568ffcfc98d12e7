// The conditions, with one field for each.

import { button, byId, make } from "./dom.ts";
import type { Problem } from "./engine.ts";
import { type Acts, list } from "./problems.ts";

interface Row {
  element: HTMLElement;
  field: HTMLInputElement;
  problems: HTMLElement;
}

let rowsMade = 0;

export class Conditions {
  private readonly rows: Row[] = [];
  private readonly parent = byId("assume");

  constructor(private readonly change: (assume: string[]) => void) {
    byId("add-condition").addEventListener("click", () => {
      this.newRow();
      this.changed();
      this.rows[this.rows.length - 1]!.field.focus();
    });
  }

  show(assume: readonly string[], problems: readonly Problem[], acts: Acts): void {
    while (this.rows.length > assume.length) this.rows.pop()!.element.remove();
    while (this.rows.length < assume.length) this.newRow();
    this.rows.forEach(({ field, problems: container }, index) => {
      if (field.value !== assume[index]) field.value = assume[index]!;
      const own = problems.filter(({ line }) => line === index);
      field.setAttribute("aria-label", `condition ${index + 1}`);
      field.setAttribute("aria-invalid", String(own.some(({ severity }) => severity === "error")));
      const place = ({ from, to }: Problem) => {
        field.focus();
        field.setSelectionRange(from, to);
      };
      list(container, own, { ...acts, place });
    });
  }

  private newRow(): void {
    const field = make("input", { type: "text", class: "condition", spellcheck: "false", autocapitalize: "off" });
    field.addEventListener("input", () => this.changed());
    const remove = button("×", { class: "remove", "aria-label": "remove this condition" }, () => {
      this.rows.splice(this.rows.indexOf(row), 1);
      element.remove();
      this.changed();
      (this.rows[this.rows.length - 1]?.field ?? byId("add-condition")).focus();
    });
    const problems = make("div", { class: "problems", id: `condition-problems-${++rowsMade}` });
    field.setAttribute("aria-describedby", `assume-hint ${problems.id}`);
    const element = make("div", { class: "row" }, field, remove, problems);
    const row: Row = { element, field, problems };
    this.rows.push(row);
    this.parent.append(element);
  }

  private changed(): void {
    this.change(this.rows.map(({ field }) => field.value));
  }
}
