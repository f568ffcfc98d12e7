// The variables, each on a row with its range and a slider.

import { button, byId, make } from "./dom.ts";
import type { Problem, Variable } from "./engine.ts";
import { type Acts, list } from "./problems.ts";
import { atStop, lastStop, parseSpan, spanText, stopOf } from "./spans.ts";
import { declaration } from "./state.ts";

interface Row {
  element: HTMLElement;
  range: HTMLInputElement;
  slider: HTMLInputElement;
  note: HTMLElement;
  remove: HTMLButtonElement;
  problems: HTMLElement;
}

let rowsMade = 0;

export class Ranges {
  private readonly rows = new Map<string, Row>();
  private readonly parent = byId("vars");
  private vars: readonly string[] = [];

  constructor(private readonly change: (vars: string[]) => void) {
    const [name, range] = [byId<HTMLInputElement>("new-name"), byId<HTMLInputElement>("new-range")];
    const add = () => {
      const [newName, newRange] = [name.value.trim(), range.value.trim()];
      const missing = newName === "" ? name : newRange === "" ? range : undefined;
      if (missing !== undefined) return missing.focus();
      this.declare(newName, newRange);
      name.value = range.value = "";
      name.focus();
    };
    byId("add-variable").addEventListener("click", add);
    for (const field of [name, range]) {
      field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        add();
      });
    }
  }

  /** Shows the declared variables and those of the input. `problems` contain indices into `vars`. */
  show(vars: readonly string[], variables: readonly Variable[], problems: readonly Problem[], acts: Acts): void {
    this.vars = vars;
    const declared = new Map(vars.map((text) => [declaration(text).name, declaration(text).range]));
    const used = new Map(variables.map((variable) => [variable.name, variable]));
    const names = new Set([...used.keys(), ...declared.keys()]);
    for (const [name, row] of this.rows) {
      if (names.has(name)) continue;
      row.element.remove();
      this.rows.delete(name);
    }
    for (const name of names) {
      const row = this.rows.get(name) ?? this.newRow(name);
      const text = declared.get(name) ?? "";
      if (row.range.value.trim() !== text.trim()) row.range.value = text;
      // The text itself may contain the range of a variable, as a kernel in JSON does. A range in the row narrows that
      // range.
      const known = text.trim() === "" ? (used.get(name)?.text ?? "") : "";
      row.range.placeholder = known === "" ? "0..1023" : known;
      const unused = declared.has(name) && !used.has(name);
      row.remove.hidden = !unused;
      row.note.textContent = unused ? "not used" : known !== "" ? "of the text" : text.trim() === "" ? "no range" : "";
      this.showSlider(row);
      const own = problems.filter(({ line }) => declaration(vars[line] ?? "").name === name);
      row.range.setAttribute("aria-invalid", String(own.some(({ severity }) => severity === "error")));
      list(row.problems, own, { ...acts, place: (problem) => this.select(row, problem) });
    }
  }

  private newRow(name: string): Row {
    const attributes = { type: "text", class: "range", placeholder: "0..1023", spellcheck: "false", autocapitalize: "off" };
    const range = make("input", { ...attributes, "aria-label": `range of ${name}` });
    const slider = make("input", { type: "range", min: "0", max: String(lastStop), step: "1", "aria-label": `upper end of ${name}` });
    const note = make("span", { class: "row-note" });
    const remove = button("×", { class: "remove", "aria-label": `remove ${name}` }, () => this.declare(name, undefined));
    const problems = make("div", { class: "problems", id: `range-problems-${++rowsMade}` });
    range.setAttribute("aria-describedby", `vars-hint ${problems.id}`);
    const label = make("span", { class: "name", title: name }, name);
    const element = make("div", { class: "row" }, label, make("span", { "aria-hidden": "true" }, "="), range, slider, note, remove, problems);
    range.addEventListener("input", () => {
      this.showSlider(row);
      this.declare(name, range.value);
    });
    slider.addEventListener("input", () => {
      const span = parseSpan(range.value);
      if (span === undefined) return;
      range.value = spanText(atStop(span, Number(slider.value)));
      slider.setAttribute("aria-valuetext", range.value);
      this.declare(name, range.value);
    });
    const row: Row = { element, range, slider, note, remove, problems };
    this.rows.set(name, row);
    this.parent.append(element);
    return row;
  }

  private showSlider({ range, slider }: Row): void {
    const span = parseSpan(range.value);
    slider.hidden = span === undefined;
    if (span === undefined) return;
    slider.value = String(stopOf(span));
    slider.setAttribute("aria-valuetext", spanText(span));
  }

  /** Changes, adds or removes the declaration of a name. */
  private declare(name: string, range: string | undefined): void {
    const at = this.vars.findIndex((text) => declaration(text).name === name);
    const vars = [...this.vars];
    const items = range === undefined ? [] : [`${name}=${range.trim()}`];
    vars.splice(at < 0 ? vars.length : at, at < 0 ? 0 : 1, ...items);
    this.vars = vars;
    this.change(vars);
  }

  private select({ range }: Row, { line, from, to }: Problem): void {
    const { offset } = declaration(this.vars[line] ?? "");
    range.focus();
    range.setSelectionRange(Math.max(0, from - offset), Math.max(0, to - offset));
  }
}
