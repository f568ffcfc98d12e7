// The input column.

import { type Store, set } from "./bind.ts";
import { type Choices, type Option, plain, showSelect } from "./choices.ts";
import { Conditions } from "./conditions.ts";
import { byId } from "./dom.ts";
import { difference, Editor } from "./editor.ts";
import type { Fix, Problem, Variable } from "./engine.ts";
import { colouringOf } from "./highlight.ts";
import { type Acts, list } from "./problems.ts";
import { Ranges } from "./ranges.ts";
import { filled, type State, type View, withValue } from "./state.ts";

type EditorField = "text" | "chain" | "add";

const efforts = ["one pass", "usual", "4 times the search", "16 times the search"];
const sizes: Option[] = [1, 2, 4, 8, 16].map((bytes) => [String(bytes), bytes === 1 ? "1 byte" : `${bytes} bytes`]);
const sections: Partial<Record<View, string>> = { memory: "for-memory", layout: "for-layout", rules: "for-rules" };

export class Form {
  private readonly editors: Record<EditorField, Editor>;
  private readonly ranges: Ranges;
  private readonly conditions: Conditions;
  private readonly acts: Acts;
  private variables: readonly Variable[] = [];
  private problems: readonly Problem[] = [];

  constructor(
    private readonly store: Store,
    private readonly choices: Choices,
    fixed: boolean,
  ) {
    const change = (path: string, value: unknown) => store.change({ ...store.state(), [path]: value });
    this.acts = fixed ? {} : { apply: (problem, fix) => this.mend(problem, fix) };
    const editor = (field: EditorField, label: string, hint: string) =>
      new Editor(byId(field), {
        label,
        hint,
        fixed,
        describedBy: `${field}-problems`,
        change: (text) => change(field, text),
        apply: (problem, fix) => this.mend(problem, fix),
      });
    this.editors = {
      text: editor("text", "index", "(i*512 + j)//512*600 + (i*512 + j)%512"),
      chain: editor("chain", "view or layout", "shape(8, 12).permute(1, 0)"),
      add: editor("add", "more rules", '(rule name "reason"\n  (match …)\n  (yield …))'),
    };
    this.ranges = new Ranges((vars) => change("vars", vars));
    this.conditions = new Conditions((assume) => change("assume", assume));
    for (const field of ["from", "target", "emit", "machine", "lane", "bytes", "width", "effort"]) {
      const control = byId<HTMLInputElement | HTMLSelectElement>(field);
      control.addEventListener("input", () => store.change(withValue(store.state(), field, control.value)));
    }
    const uniform = byId<HTMLInputElement>("uniform");
    uniform.addEventListener("input", () => change("uniform", names(uniform.value)));
    byId<HTMLFieldSetElement>("inputs").disabled = fixed;
    byId<HTMLSelectElement>("emit").disabled = fixed;
    byId("inputs").closest("form")!.addEventListener("submit", (event) => event.preventDefault());
  }

  /** Shows the state in all controls. */
  show(state: State, view: View): void {
    for (const field of ["text", "chain", "add"] as const) this.editors[field].set(state[field]);
    this.editors.text.speak(colouringOf(state.from, state.text));
    this.editors.chain.speak("infix");
    this.editors.add.speak("sexp");
    const select = (id: string, options: readonly Option[], value: string) => showSelect(byId<HTMLSelectElement>(id), options, value);
    const { from = [], target = [], emit = [], machine = [] } = this.choices;
    select("from", plain(from), state.from);
    select("target", plain(target), state.target);
    select("emit", plain(emit), state.emit);
    select("machine", plain(machine), state.machine);
    select("lane", [["", "chosen by the engine"], ...plain(this.variables.map(({ name }) => name))], state.lane);
    select("bytes", sizes, String(state.bytes));
    select("width", [["0", "one element"], ...sizes.slice(1)], String(state.width));
    byId<HTMLInputElement>("effort").value = String(state.effort);
    byId("effort-word").textContent = efforts[state.effort] ?? String(state.effort);
    byId("effort").setAttribute("aria-valuetext", efforts[state.effort] ?? String(state.effort));
    const uniform = byId<HTMLInputElement>("uniform");
    if (names(uniform.value).join() !== state.uniform.join()) uniform.value = state.uniform.join(", ");
    for (const [own, id] of Object.entries(sections)) byId(id).hidden = own !== view;
    byId("emit-label").hidden = view !== "answer";
    this.showRows(state);
  }

  /** Shows the variables and problems of the response to `state`. */
  showResponse(state: State, view: View, variables: readonly Variable[], problems: readonly Problem[]): void {
    this.variables = variables;
    this.problems = problems.map((problem) => {
      const { field, line } = problem;
      return field === "vars" || field === "assume" ? { ...problem, line: filled(state[field], field)[line] ?? line } : problem;
    });
    this.show(this.store.state(), view);
    const rest: Problem[] = [];
    const places = { text: "text", chain: "chain", add: "add", uniform: "uniform", lane: "memory" } as const;
    const shown = new Map<string, Problem[]>(Object.keys(places).map((field) => [field, []]));
    for (const problem of this.problems) {
      const own = shown.get(problem.field);
      const container = own === undefined ? null : byId(`${places[problem.field as keyof typeof places]}-problems`);
      if (own !== undefined && container?.closest("[hidden]") === null) own.push(problem);
      else if (problem.field !== "vars" && problem.field !== "assume") rest.push(problem);
    }
    for (const [field, own] of shown) {
      const editor = field in this.editors ? this.editors[field as EditorField] : undefined;
      editor?.show(own);
      const place = editor === undefined ? undefined : ({ from, to }: Problem) => editor.select(from, to);
      list(byId(`${places[field as keyof typeof places]}-problems`), own, { ...this.acts, ...(place && { place }) });
    }
    if (shown.get("uniform")!.length > 0) byId<HTMLDetailsElement>("options").open = true;
    list(byId("problems"), rest, this.acts);
  }

  /** Puts the focus on the second editor of the view, if it has one, or otherwise on the editor of the index. */
  focus(): void {
    this.editors[isShown("chain") ? "chain" : isShown("add") ? "add" : "text"].focus();
  }

  /** Applies a fix, and moves the caret to its place. */
  private mend({ field, to }: Problem, fix: Fix): void {
    const before = this.store.state();
    set(this.store, fix.set);
    const shown = (["text", "chain", "add"] as const).filter(isShown);
    const changed = shown.find((name) => typeof fix.set[name] === "string");
    const placed = shown.find((name) => name === field);
    if (changed !== undefined) {
      const { from, insert } = difference(before[changed], this.store.state()[changed]);
      this.editors[changed].select(from + insert.length, from + insert.length);
    } else if (placed !== undefined) {
      this.editors[placed].select(to, to);
    } else {
      this.editors.text.focus();
    }
  }

  private showRows(state: State): void {
    const of = (field: string) => this.problems.filter((problem) => problem.field === field);
    this.ranges.show(state.vars, this.variables, of("vars"), this.acts);
    this.conditions.show(state.assume, of("assume"), this.acts);
  }
}

function isShown(field: EditorField): boolean {
  return byId(field).closest("[hidden]") === null;
}

/** The names in a text, separated by spaces and commas. */
function names(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
