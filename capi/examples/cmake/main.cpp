// Replaces an index in a tree of operations by the cheapest form that quaff finds, without text.

#include "tree.hpp"

#include <iostream>
#include <optional>
#include <quaff.hpp>

namespace {

using tree::Kind;
using tree::Value;

/// The nodes of `root`. Block arguments are the variables `names`. Nothing where an operation is none of quaff's.
std::optional<quaff::Nodes> nodes_of(const Value &root, const std::vector<std::string> &names) {
  quaff::Nodes nodes;
  std::map<const tree::Operation *, std::uint32_t> known;
  for (const tree::Operation *op : tree::ordered(root)) {
    const auto of = [&](std::size_t at) { return known.at(op->operands.at(at).get()); };
    switch (op->kind) {
    case Kind::Constant: known[op] = nodes.constant(op->number); break;
    case Kind::BlockArg: known[op] = nodes.variable(names.at(static_cast<std::size_t>(op->number))); break;
    case Kind::AddI: known[op] = nodes.add(QUAFF_OP_ADD, of(0), of(1)); break;
    case Kind::SubI: known[op] = nodes.add(QUAFF_OP_SUB, of(0), of(1)); break;
    case Kind::MulI: known[op] = nodes.add(QUAFF_OP_MUL, of(0), of(1)); break;
    case Kind::FloorDivSI: known[op] = nodes.add(QUAFF_OP_FLOOR_DIV, of(0), of(1)); break;
    case Kind::RemSI: known[op] = nodes.add(QUAFF_OP_TRUNC_MOD, of(0), of(1)); break;
    default: return std::nullopt;
    }
  }
  nodes.roots = {known.at(root.get())};
  return nodes;
}

/// The dividend is not negative, and the divisor is positive: then all roundings are the same.
bool is_plain(const quaff::Nodes &nodes, const quaff_node &node) {
  const quaff::Range divisor = nodes.ranges.at(node.operands[1]);
  return nodes.ranges.at(node.operands[0]).is_nonnegative() && divisor.lower && *divisor.lower > 0;
}

/// One node as an operation. Nothing where the tree has no operation for it.
std::optional<Value> value_of(const quaff::Nodes &nodes, const quaff_node &node, const std::vector<Value> &made, const std::vector<Value> &args) {
  const auto of = [&](std::size_t at) { return made.at(node.operands[at]); };
  const auto two = [&](Kind kind) { return tree::make(kind, {of(0), of(1)}); };
  switch (node.op) {
  case QUAFF_OP_CONST: return tree::constant(node.value);
  case QUAFF_OP_VAR: return args.at(static_cast<std::size_t>(node.value));
  case QUAFF_OP_NEG: return tree::make(Kind::SubI, {tree::constant(0), of(0)});
  case QUAFF_OP_ADD: return two(Kind::AddI);
  case QUAFF_OP_SUB: return two(Kind::SubI);
  case QUAFF_OP_MUL: return two(Kind::MulI);
  case QUAFF_OP_FLOOR_DIV: return two(is_plain(nodes, node) ? Kind::DivUI : Kind::FloorDivSI);
  case QUAFF_OP_FLOOR_MOD: {
    if (is_plain(nodes, node)) return two(Kind::RemUI);
    const Value quotient = two(Kind::FloorDivSI);
    return tree::make(Kind::SubI, {of(0), tree::make(Kind::MulI, {quotient, of(1)})});
  }
  case QUAFF_OP_MIN: return two(Kind::MinSI);
  case QUAFF_OP_MAX: return two(Kind::MaxSI);
  case QUAFF_OP_LT: return two(Kind::CmpLt);
  case QUAFF_OP_LE: return two(Kind::CmpLe);
  case QUAFF_OP_GT: return tree::make(Kind::CmpLt, {of(1), of(0)});
  case QUAFF_OP_GE: return tree::make(Kind::CmpLe, {of(1), of(0)});
  case QUAFF_OP_EQ: return two(Kind::CmpEq);
  case QUAFF_OP_NE: return two(Kind::CmpNe);
  case QUAFF_OP_SELECT: return tree::make(Kind::Select, {of(0), of(1), of(2)});
  case QUAFF_OP_BIT_AND: return two(Kind::AndI);
  default: return std::nullopt;
  }
}

/// The cheapest form of `root`, which never costs more. `root` itself where the tree lacks operations for it.
Value simplified(const Value &root, const std::vector<std::string> &names, const quaff::Domain &domain) {
  const std::optional<quaff::Nodes> asked = nodes_of(root, names);
  if (!asked) return root;
  const quaff::Answer answer = quaff::simplify(*asked, domain);
  std::cout << "cost " << answer.input_cost() << " -> " << answer.cost() << "\n";
  const quaff::Nodes nodes = answer.nodes();
  std::vector<Value> args;
  for (const std::string &name : nodes.names)
    args.push_back(tree::arg(std::find(names.begin(), names.end(), name) - names.begin()));
  std::vector<Value> made;
  for (const quaff_node &node : nodes.nodes) {
    std::optional<Value> value = value_of(nodes, node, made, args);
    if (!value) return root;
    made.push_back(std::move(*value));
  }
  return made.at(nodes.roots.at(0));
}

struct Argument {
  std::string name;
  std::int64_t lower, upper;
};

/// Whether `index` is replaced by a cheaper one of the same values at all points.
bool is_replaced(const char *title, const Value &index, const std::vector<Argument> &arguments) {
  std::vector<std::string> names;
  quaff::Domain domain;
  for (const Argument &one : arguments) {
    names.push_back(one.name);
    domain.range(one.name, one.lower, one.upper);
  }
  std::cout << title << "\n";
  tree::print(std::cout, index);
  const Value cheap = simplified(index, names, domain);
  tree::print(std::cout, cheap);
  std::vector<std::int64_t> point;
  for (const Argument &one : arguments) point.push_back(one.lower);
  std::size_t points = 0;
  for (bool is_last = false; !is_last; ++points) {
    if (tree::evaluate(index, point) != tree::evaluate(cheap, point)) {
      std::cout << "another value at point " << points << "\n";
      return false;
    }
    is_last = true;
    for (std::size_t at = 0; at < point.size() && is_last; ++at) {
      is_last = point[at] == arguments[at].upper;
      point[at] = is_last ? arguments[at].lower : point[at] + 1;
    }
  }
  std::cout << "the same value at " << points << " points\n\n";
  return cheap != index;
}

} // namespace

int main() {
  using tree::arg, tree::constant, tree::make;
  const Value flat = make(Kind::AddI, {make(Kind::MulI, {arg(0), constant(12)}), arg(1)});
  const Value padded = make(Kind::AddI, {make(Kind::MulI, {make(Kind::FloorDivSI, {flat, constant(96)}), constant(128)}),
                                         make(Kind::RemSI, {flat, constant(96)})});
  const Value shifted = make(Kind::SubI, {arg(0), constant(64)});
  const Value signed_digits = make(Kind::AddI, {make(Kind::MulI, {make(Kind::FloorDivSI, {shifted, constant(8)}), constant(8)}),
                                                make(Kind::SubI, {shifted, make(Kind::MulI, {make(Kind::FloorDivSI, {shifted, constant(8)}), constant(8)})})});
  try {
    const bool all = is_replaced("rows of 12 in rows of 96, padded to 128", padded, {{"t", 0, 1023}, {"c", 0, 11}}) &&
                     is_replaced("digits of what may be negative", signed_digits, {{"t", 0, 127}});
    return all ? 0 : 1;
  } catch (const quaff::Error &error) {
    std::cerr << error.code() << ": " << error.what() << "\n";
    return 1;
  }
}
