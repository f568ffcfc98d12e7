// The state of the inputs, and its conversion to and from the fragment of the page's address.

export const views = ["answer", "story", "memory", "layout", "kernel", "rules"] as const;
export type View = (typeof views)[number];

export interface State {
  text: string;
  from: string;
  vars: string[];
  assume: string[];
  uniform: string[];
  target: string;
  effort: number;
  emit: string;
  access: number;
  lane: string;
  at: Record<string, number>;
  bytes: number;
  width: number;
  columns: number;
  search: boolean;
  before: string;
  before_assume: string[];
  machine: string;
  chain: string;
  without: string[];
  add: string;
}

const defaults: State = {
  text: "",
  from: "infix",
  vars: [],
  assume: [],
  uniform: [],
  target: "sm_90",
  effort: 1,
  emit: "cuda",
  access: 0,
  lane: "",
  at: {},
  bytes: 4,
  width: 0,
  columns: 0,
  search: false,
  before: "",
  before_assume: [],
  machine: "nvidia",
  chain: "",
  without: [],
  add: "",
};

/** The greatest number of 32 bits, which is the limit of number fields in the engine. */
const GREATEST = 0xffff_ffff;

/** A new state with default values. */
export function fresh(): State {
  return structuredClone(defaults);
}

export function isView(name: unknown): name is View {
  return (views as readonly unknown[]).includes(name);
}

/** `state` with the fields of `part`. Fields that are unknown or have another type are ignored. */
export function merge(state: State, part: unknown): State {
  const out: Record<string, unknown> = { ...state };
  if (typeof part !== "object" || part === null) return state;
  for (const [key, value] of Object.entries(part)) {
    if (!Object.hasOwn(defaults, key)) continue;
    const usual = defaults[key as keyof State];
    if (key === "at") {
      if (typeof value === "object" && value !== null) out.at = numbers(value);
    } else if (Array.isArray(usual)) {
      if (Array.isArray(value)) out[key] = value.filter((item) => typeof item === "string");
    } else if (typeof usual === "number") {
      // The engine takes whole numbers that are not negative.
      const greatest = key === "effort" ? 3 : GREATEST;
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) out[key] = Math.min(value, greatest);
    } else if (typeof usual === "boolean") {
      if (typeof value === "boolean") out[key] = value;
    } else if (typeof value === "string") {
      out[key] = value.replace(/\r\n?/g, "\n");
    }
  }
  return out as unknown as State;
}

function numbers(value: object): Record<string, number> {
  return Object.fromEntries(Object.entries(value).filter(([, number]) => Number.isSafeInteger(number)));
}

/** `state` with the value at a path such as `bytes` or `at.k`. */
export function withValue(state: State, path: string, value: string | number | boolean): State {
  if (path.startsWith("at.")) return merge(state, { at: { ...state.at, [path.slice(3)]: Number(value) } });
  const usual = Object.hasOwn(defaults, path) ? defaults[path as keyof State] : undefined;
  if (typeof usual === "number") return value === "" ? state : merge(state, { [path]: Number(value) });
  return merge(state, { [path]: String(value) });
}

/** The name and the range of a declaration such as `i=0..1023`. */
export function declaration(text: string): { name: string; range: string; offset: number } {
  const at = text.indexOf("=");
  if (at < 0) return { name: text.trim(), range: "", offset: text.length };
  return { name: text.slice(0, at).trim(), range: text.slice(at + 1), offset: at + 1 };
}

/** The indices of the rows that are filled: declarations with a range, or conditions with a text. */
export function filled(texts: readonly string[], field: "vars" | "assume"): number[] {
  const says = (text: string) => (field === "vars" ? declaration(text).range : text).trim() !== "";
  return texts.flatMap((text, index) => (says(text) ? [index] : []));
}

/**
 * The fields that differ from the defaults, without empty rows. This part of the state is sent to the engine and
 * written to the address.
 */
export function sent(state: State): Partial<State> {
  const pick = (field: "vars" | "assume") => filled(state[field], field).map((index) => state[field][index]!);
  const full: State = { ...state, vars: pick("vars"), assume: pick("assume") };
  return Object.fromEntries(
    Object.entries(full).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(defaults[key as keyof State])),
  );
}

/** The names of list fields in the address. */
const lists = { vars: "var", assume: "assume", uniform: "uniform", without: "without", before_assume: "before-assume" } as const;

/**
 * The fragment, without `#`. It stays readable, because only characters that would end a value or the fragment are
 * escaped.
 */
export function toFragment(view: View, state: State): string {
  const pairs: [string, string][] = [["view", view]];
  for (const [key, value] of Object.entries(sent(state))) {
    if (Array.isArray(value)) {
      const name = lists[key as keyof typeof lists];
      for (const item of value) pairs.push([name, item]);
    } else if (typeof value === "object") {
      for (const [name, number] of Object.entries(value)) pairs.push([`at.${name}`, String(number)]);
    } else {
      pairs.push([key, String(value)]);
    }
  }
  return pairs.map(([key, value]) => `${escaped(key).replace(/=/g, "%3D")}=${escaped(value)}`).join("&");
}

function escaped(text: string): string {
  const all = encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));
  return all.replace(/%(2F|3A|3B|2C|3D|3F|40|24|5B|5D|7B|7D|7C|5E)/g, decodeURIComponent).replace(/%20/g, "+");
}

/** The view and the state of a fragment. Undefined if the fragment is not from the explorer. */
export function fromFragment(fragment: string): { view: View; state: State } | undefined {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const known = new Set<string>(["view", ...Object.keys(defaults), ...Object.values(lists)]);
  if (![...values.keys()].some((key) => known.has(key) || key.startsWith("at."))) return undefined;
  const view = values.get("view") ?? "";
  const part: Record<string, unknown> = {};
  for (const [key, usual] of Object.entries(defaults)) {
    if (key === "at") continue;
    if (Array.isArray(usual)) {
      part[key] = values.getAll(lists[key as keyof typeof lists]);
    } else {
      const value = values.get(key);
      if (value === null || value === "") continue;
      part[key] = typeof usual === "number" ? Number(value) : typeof usual === "boolean" ? value === "true" : value;
    }
  }
  const at = [...values].filter(([key]) => key.startsWith("at."));
  part.at = Object.fromEntries(at.map(([key, value]) => [key.slice(3), Number(value)]));
  return { view: isView(view) ? view : "answer", state: merge(fresh(), part) };
}
