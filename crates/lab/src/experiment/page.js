const figures = ["cost", "divisions", "nodes", "ms", "changed", "cheaper", "dearer"];
const shown = { ms: v => v.toFixed(0), cost: v => v.toFixed(1) };
const show = (name, v) => (shown[name] || String)(v);
let sorted = null, downwards = true, chosen = null, filter = "";

function difference(name, row) {
  if (row === data.base || !["cost", "divisions", "nodes"].includes(name)) return "";
  const d = row[name] - data.base[name];
  return d === 0 ? "" : ` (${d > 0 ? "+" : ""}${show(name, d)})`;
}

function rows() {
  const list = data.rows.filter(r => r.variant.includes(filter));
  if (sorted) {
    const key = r => sorted === "variant" ? r.variant : r[sorted];
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
    ...figures.map(f => make("td", { class: "number" }, show(f, r[f]) + difference(f, r)))));
  fill($("summary"), make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
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
      ...figures.map(f => make("td", { class: "number" }, show(f, r[f])))))));
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
    side("base", c.before), side("variant", c.after));
}

function elimination() {
  const e = data.elimination;
  if (!e) return;
  fill($("elimination"), make("h2", {}, "Smallest set found"),
    make("p", {}, `${e.kept.length} rules stay: `, make("code", {}, e.kept.join(" "))),
    make("p", {}, `${e.left_out.length} are left out: `, make("code", {}, e.left_out.join(" "))),
    make("details", {}, make("summary", {}, `${e.trials.length} attempts`),
      make("table", {}, make("thead", {}, make("tr", {}, ...["rule", "cost without it", "dearer cases", ""].map(t => make("th", {}, t)))),
        make("tbody", {}, ...e.trials.map(t => make("tr", {}, make("td", {}, t.rule),
          make("td", { class: "number" }, t.cost.toFixed(1)), make("td", { class: "number" }, t.dearer),
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
summary(); elimination(); troubles();
