// Every function of quaff.hpp.

#include "expect.hpp"

#include <algorithm>
#include <quaff.hpp>

namespace {

using quaff::Domain, quaff::Expr, quaff::Simplifier;

void expressions_and_domains() {
  const Expr index("(i*16 + j)//4");
  EXPECT(index.text() == "(i*16 + j)//4");
  EXPECT(index.eval({{"i", 2}, {"j", 5}}) == 9);
  Expr copy = index;
  copy = Expr(7);
  EXPECT(copy.text() == "7" && index.text() == "(i*16 + j)//4");
  const quaff::Nodes nodes = index.nodes();
  EXPECT(Expr(nodes, nodes.roots.at(0)).text() == index.text());

  Domain domain;
  domain.range("n", 1, 64).bounds("i", 0, Expr("n - 1")).add("x=0..999").step("x", 4, 1).assume("i < x").uniform("n");
  domain.nonempty("i").loop({"i"}).opaque("q", "rows[i]").defined();
  domain.check();
  const Domain again(domain.text());
  EXPECT(again.text() == domain.text());
  Domain other = again;
  other.range("late", 0, INT64_MAX);
  EXPECT(other.text() != again.text());
}

void answers() {
  Domain domain("x=0..1048575, n=1..99, invariant n");
  Simplifier simplifier;
  simplifier.effort(2).target("sm_80").cost_model(QUAFF_COST_MODEL_GPU);
  const quaff::Answer answer = simplifier.simplify({"x//12*16 + x%12", "x//n"}, domain);
  EXPECT(answer.exprs().size() == 2 && answer.cost() <= answer.input_cost() && answer.least_cost() <= answer.cost());
  EXPECT(answer.saturated());
  const quaff::Nodes nodes = answer.nodes();
  EXPECT(nodes.roots.size() == 2 && nodes.ranges.size() == nodes.nodes.size());
  EXPECT(nodes.ranges.at(nodes.roots[0]).is_nonnegative());
  quaff::Text text = answer.text();
  EXPECT(text.body().find("__umulhi") != std::string::npos && text.whole().size() > text.body().size());
  EXPECT(text.results().size() == 2 && text.results()[0].type == "int" && text.parameters().at(0).name == "x");
  EXPECT(text.divisors().size() == 1 && text.divisors()[0].divisor == "n" && !text.divisors()[0].setup.empty());
  EXPECT(!text.host().empty() && !text.prelude().empty());
  EXPECT(text.function("padded").find("void padded(") != std::string::npos);
  EXPECT(answer.text(QUAFF_LANGUAGE_PYTHON).body().find("//") != std::string::npos);
  EXPECT(quaff::simplify("(i*4 + j)//4", "i=0..9, j=0..3").expr().text() == "i");
  EXPECT(quaff::simplify(Expr("x%4").nodes(), "x=0..3").expr().text() == "x");
  EXPECT(quaff::simplify(Expr("where(x < 9, x*7//3, x*x//5) + x%5"), "x=0..99").text(QUAFF_LANGUAGE_C).statements().size() < 9);
}

void facts() {
  quaff::Facts facts = Simplifier().facts("m=1..64, n=1..64, pid=0..m*n-1, x=0..");
  EXPECT(*facts.bounds("pid//n").upper == 63 && !facts.bounds("x").upper);
  EXPECT(facts.congruence("x*8 + 3").modulus == 8);
  EXPECT(facts.prove("pid//n < m") == true && facts.prove("pid//n >= m") == false && !facts.prove("pid < 3"));
  EXPECT(facts.equal("pid//n*n + pid%n", "pid") == true && !facts.equal("m", "n"));
  facts.push();
  facts.assume("pid < n");
  facts.add("i=0..n - 1");
  EXPECT(facts.prove("pid//n == 0") == true && facts.prove("i//n == 0") == true);
  facts.pop();
  EXPECT(!facts.prove("pid//n == 0"));
}

void indices() {
  const Simplifier simplifier;
  const Domain warp("t=0..127, pid=0..65535, n=16..1048576 step 16");
  const quaff_lanes lanes = simplifier.lanes("pid*128 + t", "t", warp, Expr("pid*128 + t < n"));
  EXPECT(lanes.contiguity == 128 && lanes.mask_constancy == 16 && lanes.vector == 16);
  EXPECT(simplifier.lanes("pid*128 + t", "t", warp, {}, 4).vector == 4);

  const quaff::Parts parts = simplifier.parts("wg*K*32 + t%8*8 + 4100", {{"wg"}, {"t"}}, "wg=0..1023, t=0..255, K=8..8192");
  EXPECT(parts.parts.size() == 2 && parts.mixed.empty() && parts.shared.text() == "4100");
  const auto split = quaff::base_and_immediate("t*16 + 4100", 0, 4095);
  EXPECT(split && split->second == 4 && split->first.text() == "t*16 + 4096");
  EXPECT(!quaff::base_and_immediate("t", 0, INT64_MAX));

  const auto strides = simplifier.strides("(pid*128 + t)%M*K + k", {"t", "k"}, "pid=0..99, t=0..127, k=0..63, M=1..8192, K=64..4096");
  const auto &strided = std::get<quaff::Strided>(strides);
  EXPECT(strided.dimensions.size() == 2 && strided.dimensions[0].wrap->extent.text() == "M" && strided.offset.text() == "0");
  EXPECT(strided.dimensions[1].extent->text() == "64" && !strided.dimensions[1].partial && strided.dimensions[1].axis == "k");
  const auto none = simplifier.strides("(t + pid)//8 + t*2", {"t"}, "pid=0..99, t=0..127");
  EXPECT(std::get<quaff::NotStrided>(none).term.text() == "(t + pid)//8");
}

void maps() {
  const Simplifier simplifier;
  EXPECT(simplifier.injective({"x*n + y"}, {"x", "y"}, "n=1..4096, x=0..99, y=0..n-1")->holds);
  const auto twice = simplifier.injective({"x*3 + y*2"}, {"x", "y"}, "x=0..9, y=0..9");
  EXPECT(twice && !twice->holds && twice->witness.size() == 2 && twice->witness[0][0].first == "x");
  EXPECT(!simplifier.injective({"x*x + y*n"}, {"x", "y"}, "n=1..4096, x=0..9999, y=0..9999"));
  const auto hole = simplifier.surjective({"x*8 + y"}, {32}, {"x", "y"}, "x=0..7, y=0..3");
  EXPECT(hole && !hole->holds && hole->witness.at(0).at(0).second == 4);
  EXPECT(simplifier.disjoint("t*2", "t*2 + 1", {"t"}, "t=0..31")->holds);
  const auto inverse = simplifier.inverse({"i//8", "i%8"}, {{"tile", 4}, {"lane", 8}}, {"i"}, "i=0..27");
  EXPECT(inverse && inverse->inputs.at(0).text() == "tile*8 + lane" && inverse->inside->text() == "tile*8 + lane < 28");
  EXPECT(!simplifier.inverse({"i*i"}, {{"p", 99}}, {"i"}, "i=0..9"));
  const auto when = simplifier.when("i*32 + l < n", {"n"}, "n=1..64, i=0..(n + 31)//32 - 1, l=0..31");
  EXPECT(when.size() == 1 && when[0].conditions.at(0).text() == "n%32 == 0" && when[0].necessary == true);
  EXPECT(simplifier.when("x < 0", {"n"}, "n=1..9, x=0..5").empty());
}

void conditions_and_ranges() {
  const Simplifier simplifier;
  const Domain sizes("row=0..9, t=0..31, ld=1..4096, n=1..4096");
  const auto vectors = simplifier.when_vector("row*ld + t", "t", 4, {"ld", "n"}, sizes, Expr("t < n"), "c");
  EXPECT(vectors.size() == 1 && vectors[0].conditions.size() == 2 && vectors[0].code == "ld % 4 == 0 && n % 4 == 0");
  EXPECT(vectors[0].test.text() == "ld%4 == 0 and n%4 == 0");
  EXPECT(simplifier.when_vector("row*ld + t", "t", 4, {"ld"}, sizes).at(0).code.empty());
  const auto disjoint = simplifier.when_disjoint("t", "t + d", {"t"}, {"d"}, "t=0..31, d=0..99", "python");
  EXPECT(disjoint.at(0).code == "32 <= d" && disjoint[0].necessary == true);

  const quaff::Image rows = simplifier.image("i*20 + j", "i=0..99999, j=0..9");
  EXPECT(rows.has_ends && rows.range.upper == 1999989 && rows.stride == 1 && rows.dense == false);
  EXPECT(rows.hole == 10 && rows.count == 1000000);
  const quaff::Image products = simplifier.image("i*j*4", "i=0..9999, j=0..9999");
  EXPECT(!products.dense && !products.hole && !products.count && products.stride == 4);

  const Domain steps("s=-99..99, t=0.., assume s//-3 >= -11, assume s//-3 <= -5, assume s%4 == 3");
  const auto ranges = simplifier.ranges({"s", "t"}, steps);
  EXPECT(ranges.size() == 2 && ranges[0].range.lower == 15 && ranges[0].range.upper == 31 && ranges[0].has_ends);
  EXPECT(ranges[0].congruence.residue == 3 && ranges[0].congruence.modulus == 4 && !ranges[1].range.upper && ranges[1].name == "t");
  const quaff::Rescaled rescaled = simplifier.rescale({"s//4 + u"}, {"s", "u"}, "s=0..99, u=5..5, assume s%4 == 3");
  EXPECT(rescaled.exprs.at(0).text() == "s_k + 5" && rescaled.domain.text() == "s_k=0..24");
  EXPECT(rescaled.counted.size() == 2 && rescaled.counted[0].counter == "s_k" && rescaled.counted[0].count.text() == "(s - 3)//4");
  EXPECT(!rescaled.counted[1].counter && rescaled.counted[1].value.text() == "5");
}

void iterators() {
  const Simplifier simplifier;
  const auto found = simplifier.iters({"(i*8 + j)//4 + 3", "(i*8 + j)%4"}, {"i", "j"}, "i=0..15, j=0..7");
  const auto &map = std::get<quaff::IterMap>(found);
  EXPECT(map.outputs.size() == 2 && map.bijective == true && map.padding.empty());
  const quaff::IterSum &sum = map.outputs[0];
  EXPECT(sum.base.text() == "3" && sum.iterators.at(0).digit.text() == "i*2 + j//4" && sum.iterators[0].extent.text() == "32");
  EXPECT(sum.iterators[0].scale.text() == "1" && !sum.iterators[0].modulus && map.outputs[1].iterators.at(0).modulus->text() == "4");
  const auto padded = simplifier.iters({"(x + 7)//32"}, {"x"}, "x=0..44");
  const auto &padding = std::get<quaff::IterMap>(padded).padding;
  EXPECT(padding.size() == 1 && padding[0].left.text() == "7" && padding[0].right.text() == "12");
  const auto none = simplifier.iters({"i", "i*j"}, {"i", "j"}, "i=0..15, j=0..7");
  EXPECT(std::get<quaff::NoIterator>(none).part.text() == "i*j" && std::get<quaff::NoIterator>(none).output == 1);

  const quaff::Axis fused = quaff::fuse({{"i", 4}, {"j", "n"}});
  EXPECT(fused.iterator.text() == "i*n + j" && fused.extent.text() == "4*n");
  const auto [slow, fast] = quaff::split({"i", 10}, 4);
  EXPECT(slow.iterator.text() == "i//4" && slow.extent.text() == "3" && fast.iterator.text() == "i%4" && fast.extent.text() == "4");

  const Domain block("z=0..4, y=0..3, x=0..2, c=0..99, assume x < 2, assume z < 4");
  const auto divided = simplifier.subspace({"z*12 + y*3 + x + c"}, {"x", "y", "z"}, {"x"}, block);
  const auto &subspace = std::get<quaff::Subspace>(divided);
  EXPECT(subspace.outputs.at(0).outer.text() == "z*4 + y" && subspace.outputs[0].inner.text() == "x + c");
  EXPECT(subspace.inner_conditions.at(0).text() == "x < 2" && subspace.outer_conditions.at(0).text() == "z < 4");
  const auto mixed = simplifier.subspace({"z*12 + y*3 + x"}, {"x", "y", "z"}, {"y"}, "z=0..4, y=0..3, x=0..2");
  EXPECT(std::get<quaff::Mixed>(mixed).part.text() == "x");
}

template <class Call> quaff::Error refused(Call &&call) {
  try {
    call();
  } catch (const quaff::Error &error) {
    return error;
  }
  std::cerr << "no error\n";
  std::exit(1);
}

void errors() {
  const quaff::Error zero = refused([] { quaff::simplify("(i*4 + 3)//k", "i=0..9, k=0..8"); });
  EXPECT(zero.status() == QUAFF_STATUS_SIMPLIFY && zero.code() == "quaff::zero_divisor" && !zero.help().empty());
  EXPECT(zero.place() && zero.place()->begin == 11 && zero.place()->end == 12);
  EXPECT(refused([] { Expr("i + * 3"); }).place()->begin == 4);
  EXPECT(refused([] { Expr(std::string_view("\xff", 1)); }).status() == QUAFF_STATUS_UTF8);
  EXPECT(refused([] { Domain("i=5..3").check(); }).code() == "quaff::domain::empty");
  EXPECT(refused([] { Simplifier().effort(9); }).status() == QUAFF_STATUS_ARGUMENT);
  EXPECT(!refused([] { Simplifier().lanes("t", "t", "t=1..3"); }).place());
  EXPECT(refused([] { Simplifier().when("n >= 1", {"n"}, "n=1..9", "cobol"); }).status() == QUAFF_STATUS_ARGUMENT);
  EXPECT(refused([] { Simplifier().ranges({"s"}, "s=0..9, assume s > 20"); }).status() == QUAFF_STATUS_DOMAIN);
  EXPECT(refused([] { Simplifier().facts("x=0..9").pop(); }).status() == QUAFF_STATUS_ARGUMENT);
  EXPECT(refused([] { quaff::split({"i", 10}, 0); }).status() == QUAFF_STATUS_ARGUMENT);
}

} // namespace

int main() {
  EXPECT(quaff::view(quaff_version()) == "0.1.0");
  expressions_and_domains();
  answers();
  facts();
  indices();
  maps();
  conditions_and_ranges();
  iterators();
  errors();
  return 0;
}
