// A text field with several lines, whose problems are underlined.

import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { type Diagnostic, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Transaction } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, placeholder } from "@codemirror/view";
import { make } from "./dom.ts";
import type { Fix, Problem } from "./engine.ts";
import { colours } from "./highlight.ts";
import { prose } from "./prose.ts";

export interface EditorOptions {
  label: string;
  hint: string;
  /** The id of the element that lists the problems. */
  describedBy: string;
  fixed: boolean;
  change(text: string): void;
  apply(problem: Problem, fix: Fix): void;
}

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--field)", fontSize: "0.9375rem" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-1px" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)", padding: "0.5rem 0" },
  ".cm-line": { padding: "0 0.625rem" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--raised)", border: "1px solid var(--line)", maxWidth: "min(34rem, 90vw)" },
  ".cm-diagnostic": { padding: "0.375rem 0.625rem", whiteSpace: "pre-wrap", fontFamily: "var(--text)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--accent-2)" },
  ".cm-diagnosticAction": {
    color: "var(--ink)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--accent)",
    padding: "0.125rem 0.5rem",
    fontFamily: "var(--mono)",
  },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline dotted 2px var(--accent-2)", textUnderlineOffset: "3px" },
  ".cm-lintRange-active": { backgroundColor: "var(--mark)" },
});

export class Editor {
  private readonly view: EditorView;
  private readonly colours = new Compartment();
  private language = "";

  constructor(
    parent: HTMLElement,
    private readonly options: EditorOptions,
  ) {
    this.view = new EditorView({
      parent,
      extensions: [
        theme,
        this.colours.of([]),
        history(),
        highlightSpecialChars(),
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorView.lineWrapping,
        placeholder(options.hint),
        EditorState.readOnly.of(options.fixed),
        EditorView.editable.of(!options.fixed),
        EditorView.contentAttributes.of({
          "aria-label": options.label,
          "aria-describedby": options.describedBy,
          "aria-readonly": String(options.fixed),
          spellcheck: "false",
          autocapitalize: "off",
          autocorrect: "off",
          ...(options.fixed ? { tabindex: "0" } : {}),
        }),
        EditorView.updateListener.of((update) => {
          const own = update.transactions.some((transaction) => transaction.annotation(Transaction.remote));
          if (update.docChanged && !own) options.change(update.state.doc.toString());
        }),
      ],
    });
  }

  /**
   * Sets the text without a call of `change`. The caret keeps its place if the text around it stays the same. The
   * change can be undone separately. Otherwise the history would join changes that follow each other within half a
   * second.
   */
  set(text: string): void {
    const old = this.view.state.doc.toString();
    if (old === text) return;
    this.view.dispatch({ changes: difference(old, text), annotations: [Transaction.remote.of(true), isolateHistory.of("full")] });
  }

  /** Colours the text as a text of this language. */
  speak(language: string): void {
    if (language === this.language) return;
    this.language = language;
    this.view.dispatch({ effects: this.colours.reconfigure(colours(language)) });
  }

  show(problems: Problem[]): void {
    const length = this.view.state.doc.length;
    const placed = problems.filter(({ from, to }) => from < to && from < length);
    const diagnostics = placed.map((problem): Diagnostic => {
      const { from, to, severity, message, fixes } = problem;
      return {
        from: Math.max(0, from),
        to: Math.min(to, length),
        severity,
        message,
        renderMessage: () => description(problem),
        actions: (this.options.fixed ? [] : fixes).map((fix) => ({ name: fix.label, apply: () => this.options.apply(problem, fix) })),
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  focus(): void {
    this.view.focus();
  }

  select(from: number, to: number): void {
    const { length } = this.view.state.doc;
    this.view.dispatch({ selection: { anchor: Math.min(from, length), head: Math.min(to, length) }, scrollIntoView: true });
    this.view.focus();
  }
}

/** The single range in which two texts differ. */
export function difference(old: string, text: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(old.length, text.length);
  let from = 0;
  while (from < shorter && old[from] === text[from]) from += 1;
  let end = 0;
  while (end < shorter - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  return { from, to: old.length - end, insert: text.slice(from, text.length - end) };
}

function description({ message, help }: Problem): Node {
  const text = make("span", {}, ...prose(message));
  if (help !== "") text.append(make("span", { class: "help" }, "\n", ...prose(help)));
  return text;
}
