const timed = data.base.times !== undefined;
const paired = data.rows.some(r => r.interaction !== undefined);
const figures = ["cost", "divisions", "nodes", "work", "changed", "cheaper", "costlier",
  ...(paired ? ["interaction"] : []), ...(timed ? ["ms"] : [])];
const shown = { cost: v => v.toFixed(1), interaction: v => v === undefined ? "" : v.toFixed(1) };
const show = (name, v) => (shown[name] || String)(v);
const effect = row => row.cost - data.base.cost;
const value = (name, row) => name === "ms" ? row.times.more : row[name];
let sorted = null, downwards = true, chosen = null, filter = "", all = false;

/// Quartiles, and the difference from the base with its interval.
function time(row) {
  const t = row.times, ms = v => v.toFixed(1);
  const own = `${ms(t.median)} [${ms(t.first)}, ${ms(t.third)}]`;
  return row === data.base ? own : `${own} (${t.noise ? "noise" : `${t.more > 0 ? "+" : ""}${ms(t.more)} [${ms(t.low)}, ${ms(t.high)}]`})`;
}

const figure = (name, row) => name === "ms" ? time(row) : show(name, row[name]) + difference(name, row);

function difference(name, row) {
  if (row === data.base || !["cost", "divisions", "nodes", "work"].includes(name)) return "";
  const d = row[name] - data.base[name];
  return d === 0 ? "" : ` (${d > 0 ? "+" : ""}${show(name, d)})`;
}

function rows() {
  const list = data.rows.filter(r => r.variant.includes(filter) && (all || filter || r.changed > 0));
  if (!sorted) {
    list.sort((a, b) => effect(b) - effect(a));
  } else {
    const key = r => sorted === "variant" ? r.variant : value(sorted, r);
    list.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (downwards ? -1 : 1));
  }
  return [data.base, ...list];
}

function sortBy(name) { downwards = sorted === name ? !downwards : name !== "variant"; sorted = name; summary(); }

function summary() {
  const head = ["variant", ...figures].map(name => make("th",
    { "data-sort": name, class: name === "variant" ? "" : "number", onclick: () => sortBy(name) },
    name + (sorted === name ? (downwards ? " \u25be" : " \u25b4") : "")));
  const body = rows().map(r => make("tr",
    { class: "link" + (r.variant === chosen ? " chosen" : ""), tabindex: 0, onclick: () => choose(r.variant),
      onkeydown: e => { if (e.key === "Enter") choose(r.variant); } },
    make("td", {}, r.variant),
    ...figures.map(f => make("td", { class: "number" }, figure(f, r)))));
  const same = data.rows.filter(r => r.changed === 0).length;
  const fold = make("button", { onclick: () => { all = !all; summary(); } },
    all ? "hide the sets that change no answer" : `show ${same} sets that change no answer`);
  fill($("summary"), make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)),
    ...(same > 0 && !filter ? [make("p", {}, fold)] : []));
}

function choose(variant) {
  chosen = variant;
  summary();
  const corpora = data.by_corpus.filter(r => r.variant === variant);
  const table = make("table", {},
    make("thead", {}, make("tr", {}, make("th", {}, "corpus"), make("th", { class: "number" }, "cases"),
      ...figures.map(f => make("th", { class: "number" }, f)))),
    make("tbody", {}, ...corpora.map(r => make("tr", {}, make("td", {}, r.corpus),
      make("td", { class: "number" }, r.cases),
      ...figures.map(f => make("td", { class: "number" }, f === "ms" ? time(r) : show(f, r[f])))))));
  const list = data.changed.filter(c => c.variant === variant);
  const total = (data.rows.find(r => r.variant === variant) || data.base).changed;
  const note = total > list.length ? `the ${list.length} of ${total} changed cases whose cost changes most` : `${total} changed cases`;
  fill($("variant"), make("h2", {}, variant), table, make("p", {}, note),
    make("div", {}, ...list.map(one)));
  $("variant").scrollIntoView({ block: "nearest" });
}

function side(name, a) {
  const text = a.why === undefined
    ? [make("code", {}, a.text), make("small", {}, `  cost ${a.cost}, ${a.divisions} divisions, ${a.nodes} e-nodes`)]
    : [`no answer: ${a.why}`];
  return make("p", {}, make("b", {}, name + ": "), ...text);
}

function one(c) {
  const d = c.after.cost - c.before.cost;
  return make("details", {}, make("summary", {}, `${d > 0 ? "+" : ""}${d.toFixed(1)}  ${c.corpus} line ${c.line}: ${c.id}`),
    make("p", {}, make("b", {}, "input: "), make("code", {}, c.input)),
    make("p", {}, make("b", {}, "ranges: "), make("code", {}, c.ranges)),
    side("base", c.before), side(c.variant, c.after));
}

function earlier() {
  const e = data.earlier;
  if (!e) return;
  const gap = r => Math.abs(r.there - r.here);
  const list = e.effects.filter(r => gap(r) > 0.05).sort((a, b) => gap(b) - gap(a));
  const cases = data.changed.filter(c => c.variant === e.name);
  fill($("earlier"), make("h2", {}, `Beside ${e.name}`),
    make("p", {}, `cost ${e.base.cost.toFixed(1)} there and ${e.cost_here.toFixed(1)} here, ${e.base.changed} other answers: ${e.base.cheaper} cheaper there, ${e.base.costlier} cheaper here`),
    ...(e.missing.length ? [make("p", {}, `no results there of: ${e.missing.join(" ")}`)] : []),
    ...(list.length ? [make("table", {}, make("thead", {}, make("tr", {}, ...["rule set", "costs more there", "costs more here"].map(t => make("th", {}, t)))),
      make("tbody", {}, ...list.map(r => make("tr", {}, make("td", {}, r.variant),
        make("td", { class: "number" }, r.there.toFixed(1)), make("td", { class: "number" }, r.here.toFixed(1))))))] : []),
    make("details", {}, make("summary", {}, `${cases.length} changed cases`), ...cases.map(one)));
}

function elimination() {
  const e = data.elimination;
  if (!e) return;
  fill($("elimination"), make("h2", {}, "Smallest set found"),
    make("p", {}, `${e.kept.length} rules stay: `, make("code", {}, e.kept.join(" "))),
    make("p", {}, `${e.left_out.length} are left out: `, make("code", {}, e.left_out.join(" "))),
    make("details", {}, make("summary", {}, `${e.trials.length} attempts`),
      make("table", {}, make("thead", {}, make("tr", {}, ...["rule", "cost without it", "costlier cases", ""].map(t => make("th", {}, t)))),
        make("tbody", {}, ...e.trials.map(t => make("tr", {}, make("td", {}, t.rule),
          make("td", { class: "number" }, t.cost.toFixed(1)), make("td", { class: "number" }, t.costlier),
          make("td", {}, t.left_out ? "left out" : "needed")))))));
}

function troubles() {
  const list = [...data.bad.map(b => ["not a question", b]), ...data.refused.map(b => ["refused", b])];
  if (list.length === 0) return;
  fill($("troubles"), make("details", {}, make("summary", {}, `${list.length} lines without answer`),
    make("table", {}, make("tbody", {}, ...list.map(([what, b]) =>
      make("tr", {}, make("td", {}, what), make("td", {}, `${b.corpus} line ${b.line}`), make("td", { class: "text" }, b.why)))))));
}

$("filter").addEventListener("input", e => { filter = e.target.value; summary(); });
summary(); earlier(); elimination(); troubles();
