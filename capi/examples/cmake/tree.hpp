// A tree as that of MLIR: values that operations of `arith` and `affine` make of other values.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tree {

enum class Kind {
  Constant, BlockArg, AddI, SubI, MulI, FloorDivSI, DivUI, RemSI, RemUI, ShRUI, AndI, MinSI, MaxSI, CmpLt, CmpLe, CmpEq, CmpNe, Select
};

struct Operation;
using Value = std::shared_ptr<const Operation>;

struct Operation {
  Kind kind;
  std::vector<Value> operands;
  /// Of a constant, or the number of a block argument.
  std::int64_t number = 0;
};

inline Value constant(std::int64_t value) { return std::make_shared<Operation>(Operation{Kind::Constant, {}, value}); }
inline Value arg(std::int64_t number) { return std::make_shared<Operation>(Operation{Kind::BlockArg, {}, number}); }
inline Value make(Kind kind, std::vector<Value> operands) {
  return std::make_shared<Operation>(Operation{kind, std::move(operands)});
}

/// The operations that `root` is made of, each once, operands before their users. Nothing recurses.
inline std::vector<const Operation *> ordered(const Value &root) {
  std::vector<const Operation *> order;
  std::map<const Operation *, bool> done;
  std::vector<const Operation *> stack{root.get()};
  while (!stack.empty()) {
    const Operation *next = stack.back();
    bool ready = true;
    for (const Value &operand : next->operands)
      if (!done[operand.get()]) {
        stack.push_back(operand.get());
        ready = false;
      }
    if (!ready) continue;
    stack.pop_back();
    if (done[next]) continue;
    done[next] = true;
    order.push_back(next);
  }
  return order;
}

inline std::int64_t floordiv(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

inline std::int64_t evaluate(const Value &root, const std::vector<std::int64_t> &args) {
  std::map<const Operation *, std::int64_t> values;
  for (const Operation *op : ordered(root)) {
    const auto of = [&](std::size_t at) { return values.at(op->operands.at(at).get()); };
    const auto unsigned_of = [&](std::size_t at) { return static_cast<std::uint64_t>(of(at)); };
    std::int64_t value = 0;
    switch (op->kind) {
    case Kind::Constant: value = op->number; break;
    case Kind::BlockArg: value = args.at(static_cast<std::size_t>(op->number)); break;
    case Kind::AddI: value = of(0) + of(1); break;
    case Kind::SubI: value = of(0) - of(1); break;
    case Kind::MulI: value = of(0) * of(1); break;
    case Kind::FloorDivSI: value = floordiv(of(0), of(1)); break;
    case Kind::DivUI: value = static_cast<std::int64_t>(unsigned_of(0) / unsigned_of(1)); break;
    case Kind::RemSI: value = of(0) % of(1); break;
    case Kind::RemUI: value = static_cast<std::int64_t>(unsigned_of(0) % unsigned_of(1)); break;
    case Kind::ShRUI: value = static_cast<std::int64_t>(unsigned_of(0) >> unsigned_of(1)); break;
    case Kind::AndI: value = of(0) & of(1); break;
    case Kind::MinSI: value = std::min(of(0), of(1)); break;
    case Kind::MaxSI: value = std::max(of(0), of(1)); break;
    case Kind::CmpLt: value = of(0) < of(1); break;
    case Kind::CmpLe: value = of(0) <= of(1); break;
    case Kind::CmpEq: value = of(0) == of(1); break;
    case Kind::CmpNe: value = of(0) != of(1); break;
    case Kind::Select: value = of(0) ? of(1) : of(2); break;
    }
    values[op] = value;
  }
  return values.at(root.get());
}

inline const char *name(Kind kind) {
  static const char *const names[] = {"arith.constant", "block arg", "arith.addi", "arith.subi", "arith.muli", "arith.floordivsi",
                                      "arith.divui", "arith.remsi", "arith.remui", "arith.shrui", "arith.andi", "arith.minsi",
                                      "arith.maxsi", "arith.cmpi slt,", "arith.cmpi sle,", "arith.cmpi eq,", "arith.cmpi ne,", "arith.select"};
  return names[static_cast<std::size_t>(kind)];
}

inline void print(std::ostream &out, const Value &root) {
  std::map<const Operation *, std::string> names;
  std::size_t count = 0;
  for (const Operation *op : ordered(root)) {
    if (op->kind == Kind::BlockArg) {
      names[op] = "%arg" + std::to_string(op->number);
      continue;
    }
    const std::string own = "%" + std::to_string(count++);
    out << "  " << own << " = " << name(op->kind);
    if (op->kind == Kind::Constant) out << " " << op->number;
    for (std::size_t at = 0; at < op->operands.size(); ++at) out << (at ? ", " : " ") << names.at(op->operands[at].get());
    out << " : index\n";
    names[op] = own;
  }
}

} // namespace tree
