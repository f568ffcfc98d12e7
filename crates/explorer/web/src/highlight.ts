// Colours of numbers, names, operators, comments and keywords in the editors.
//
// A single small tokenizer covers all languages, because colouring an index needs no grammar.

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

/** A comment or a string that may span several lines: its opening text, its closing text and its kind. */
type Block = readonly [open: string, close: string, kind: "comment" | "string"];

interface Words {
  /** The beginning of a comment that ends with its line. */
  comment?: RegExp;
  blocks?: readonly Block[];
  /** A name. In some languages, a name may contain other characters than letters and digits. */
  name?: RegExp;
  keywords: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const cFamily: Words = {
  comment: /^\/\//,
  blocks: [["/*", "*/", "comment"]],
  keywords: words(
    "auto bool break case char class const constexpr continue default do double else enum extern false float for goto if inline int long " +
      "namespace nullptr register restrict return short signed size_t sizeof static struct switch template true typedef typename union " +
      "unsigned using void volatile while int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t half " +
      "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __launch_bounds__ __syncthreads " +
      "threadIdx blockIdx blockDim gridDim warpSize",
  ),
};

const pythonFamily: Words = {
  comment: /^#/,
  blocks: [
    ['"""', '"""', "string"],
    ["'''", "'''", "string"],
  ],
  keywords: words(
    "False None True and as assert break class continue def del elif else except finally for from global if import in is lambda not or " +
      "pass raise return try while with yield",
  ),
};

const affine: Words = {
  comment: /^\/\//,
  name: /^[%#@]?[\p{L}_][\w.$-]*/u,
  keywords: words("affine_map affine_set mod floordiv ceildiv symbol domain in is func return index constant i1 i8 i16 i32 i64"),
};

const parentheses: Words = {
  comment: /^;/,
  name: /^[?#]?[\p{L}_][\w?!<>=*/+-]*/u,
  keywords: words("rule match yield when let where law expect"),
};

const json: Words = { keywords: words("true false null") };

const families: Record<string, Words> = {
  json, c: cFamily, cuda: cFamily, halide: cFamily, mlir: affine, xla: affine, sexp: parentheses,
};

/** The name of the colouring for a text in a dialect. */
export function colouringOf(dialect: string, text: string): string {
  if (text.trimStart().startsWith("{") && dialect !== "mlir") return "json";
  return Object.hasOwn(families, dialect) ? dialect : "python";
}

const number = /^(?:0[xX][\da-fA-F']+|0[bB][01']+|\d[\d_']*(?:\.(?!\.)\d*)?(?:[eE][-+]?\d+)?)[uUlLfF]*/;
const quoted = /^(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)/;

interface Inside {
  block: Block | undefined;
}

function reader(own: Words) {
  const { comment, blocks = [], name = /^[\p{L}_][\w$]*/u, keywords } = own;
  return StreamLanguage.define<Inside>({
    startState: () => ({ block: undefined }),
    copyState: (state) => ({ ...state }),
    token(stream, state) {
      if (stream.eatSpace()) return null;
      state.block ??= blocks.find(([open]) => stream.match(open));
      if (state.block !== undefined) {
        const [, close, kind] = state.block;
        if (stream.skipTo(close)) {
          stream.match(close);
          state.block = undefined;
        } else {
          stream.skipToEnd();
        }
        return kind;
      }
      if (comment !== undefined && stream.match(comment)) {
        stream.skipToEnd();
        return "comment";
      }
      if (own === cFamily && stream.match(/^#\s*\w+/)) return "keyword";
      if (stream.match(quoted)) return own === json && stream.match(/^\s*:/, false) ? "propertyName" : "string";
      if (stream.match(number)) return "number";
      const found = stream.match(name) as RegExpMatchArray | null;
      if (found !== null) return keywords.has(found[0]) ? "keyword" : "variableName";
      if (stream.match(/^[-+*/%&|^~!<>=?]+/)) return "operator";
      stream.next();
      return null;
    },
  });
}

const style = HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.propertyName, color: "var(--code-keyword)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.operator, color: "var(--code-operator)" },
  { tag: tags.variableName, color: "var(--ink)" },
]);

const made = new Map<string, Extension>();

/** The editor extension for a colouring that `colouringOf` returns. */
export function colours(language: string): Extension {
  const known = made.get(language);
  if (known !== undefined) return known;
  const extension = [reader(families[language] ?? pythonFamily), syntaxHighlighting(style)];
  made.set(language, extension);
  return extension;
}
