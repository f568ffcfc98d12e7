const name = c => `e${c}`;
const parents = data.classes.map(() => []);
data.classes.forEach((c, i) => c.members.forEach((m, j) => new Set(m.operands).forEach(o => parents[o].push([i, j]))));

function link(c) {
  return make("a", { href: `#${name(c)}`, title: data.classes[c].value }, name(c));
}
/** A member's text, operands as links. */
function member(m) {
  const parts = m.text.split(/\{(\d+)\}/).map((t, i) => i % 2 ? link(m.operands[t]) : t);
  return make("li", { class: m.chosen ? "chosen" : "" }, make("code", {}, ...parts));
}
function select(c) {
  const known = data.classes[c];
  if (!known) return;
  document.querySelectorAll("g.class").forEach(g => {
    const id = Number(g.dataset.class);
    const near = parents[c].some(p => p[0] === id) || known.members.some(m => m.operands.includes(id));
    g.classList.toggle("selected", id === c);
    g.classList.toggle("near", id !== c && near);
  });
  fill($("class"), make("h2", {}, `${name(c)}: ${known.value}`),
    known.written === null ? null : make("p", {}, make("code", {}, known.written)),
    make("table", {}, make("tbody", {}, ...known.facts.map(([what, value]) =>
      make("tr", {}, make("th", {}, what), make("td", {}, value))))),
    make("h3", {}, `${known.members.length} members`), make("ul", {}, ...known.members.map(member)),
    make("h3", {}, `${parents[c].length} users`), make("ul", {}, ...parents[c].map(([p, m]) => {
      const item = member(data.classes[p].members[m]);
      item.prepend(link(p), " = ");
      return item;
    })));
  const drawn = document.querySelector(`g.class[data-class="${c}"]`);
  if (drawn) drawn.scrollIntoView({ block: "nearest", inline: "nearest" });
}
function list() {
  const words = $("filter").value.toLowerCase();
  const found = data.classes.map((c, i) => [c, i]).filter(([c, i]) =>
    `${name(i)} ${c.value} ${c.written || ""} ${c.members.map(m => m.text).join(" ")}`.toLowerCase().includes(words));
  fill($("list"), ...found.map(([c, i]) => make("li", {}, link(i), ": ", make("code", {}, c.written || c.value))));
}
function zoom(factor) {
  const svg = document.querySelector("#drawing svg");
  if (!svg) return;
  for (const side of ["width", "height"]) svg.setAttribute(side, svg.getAttribute(side) * factor);
}
const follow = () => { const m = /^#e(\d+)$/.exec(location.hash); if (m) select(Number(m[1])); };
addEventListener("hashchange", follow);
document.querySelectorAll("g.class").forEach(g => {
  const go = () => { location.hash = name(g.dataset.class); };
  g.addEventListener("click", go);
  g.addEventListener("keydown", e => { if (e.key === "Enter") go(); });
});
$("filter").addEventListener("input", list);
$("larger").addEventListener("click", () => zoom(1.25));
$("smaller").addEventListener("click", () => zoom(0.8));
list();
if (location.hash) follow(); else select(data.roots[0]);
