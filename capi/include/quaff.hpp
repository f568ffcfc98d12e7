/* quaff for C++17: the functions of quaff.h as classes that free what they own. An error is an exception, `quaff::Error`.
 *
 * A question that is not proved is an empty optional. What a class returns by value is its own and outlives it. Objects may
 * be read by any number of threads at once; `Facts` and `Text::function` need their object alone. */

#ifndef QUAFF_HPP
#define QUAFF_HPP

#include "quaff.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace quaff {

/// A view that is valid while its handle is.
inline std::string_view view(quaff_str str) { return str.size ? std::string_view(str.data, str.size) : std::string_view(); }

inline std::string copy(quaff_str str) { return std::string(view(str)); }

inline quaff_str str(std::string_view text) { return quaff_str{text.data(), text.size()}; }

/// Why a call failed.
class Error : public std::runtime_error {
public:
  explicit Error(const quaff_error *error)
      : std::runtime_error(copy(quaff_error_message(error))), status_(quaff_error_status(error)),
        code_(copy(quaff_error_code(error))), help_(copy(quaff_error_help(error))), place_(quaff_error_place(error)) {}

  quaff_status status() const noexcept { return status_; }
  /// For programs: a name such as `quaff::zero_divisor`.
  const std::string &code() const noexcept { return code_; }
  /// What to do, or nothing.
  const std::string &help() const noexcept { return help_; }
  /// The part of the input that it is about; nothing where that is not known.
  std::optional<quaff_place> place() const noexcept {
    return place_.kind == QUAFF_PLACE_KIND_NONE ? std::nullopt : std::optional(place_);
  }

private:
  quaff_status status_;
  std::string code_, help_;
  quaff_place place_;
};

namespace detail {

template <auto Free> struct Freed {
  template <class T> void operator()(T *handle) const noexcept { Free(handle); }
};

template <class T, auto Free> using Handle = std::unique_ptr<T, Freed<Free>>;

/// Calls `function` with a place for an error. Whether the answer is proved.
template <class Function> bool call(Function &&function) {
  quaff_error *error = nullptr;
  const quaff_status status = function(&error);
  if (error) {
    const Handle<quaff_error, quaff_error_free> owned(error);
    throw Error(error);
  }
  return status == QUAFF_STATUS_OK;
}

/// `str` of each text.
class Strs {
public:
  explicit Strs(const std::vector<std::string> &texts) {
    all_.reserve(texts.size());
    for (const std::string &text : texts) all_.push_back(str(text));
  }
  quaff_str_span span() const { return {all_.data(), all_.size()}; }

private:
  std::vector<quaff_str> all_;
};

} // namespace detail

/// Both ends inclusive; an end is empty where it is open.
struct Range {
  std::optional<std::int64_t> lower, upper;

  static Range of(quaff_range range) {
    const auto end = [](std::int64_t end, std::int64_t open) { return end == open ? std::nullopt : std::optional(end); };
    return {end(range.lower, INT64_MIN), end(range.upper, INT64_MAX)};
  }
  bool is_nonnegative() const { return lower && *lower >= 0; }
};

/// Nodes of expressions, operands before their users. `roots` are the expressions.
struct Nodes {
  std::vector<quaff_node> nodes;
  std::vector<std::string> names;
  std::vector<std::uint32_t> roots;
  /// Of each node of an answer. Empty where nothing was asked.
  std::vector<Range> ranges;

  static Nodes of(const quaff_nodes *held, bool with_ranges) {
    Nodes made;
    const quaff_node_span all = quaff_nodes_all(held);
    const quaff_id_span roots = quaff_nodes_roots(held);
    made.nodes.assign(all.data, all.data + all.size);
    made.roots.assign(roots.data, roots.data + roots.size);
    for (std::size_t at = 0; at < quaff_nodes_name_count(held); ++at) made.names.push_back(copy(quaff_nodes_name(held, at)));
    for (std::uint32_t at = 0; with_ranges && at < all.size; ++at) made.ranges.push_back(Range::of(quaff_nodes_range(held, at)));
    return made;
  }

  /// Adds a node, and answers its number.
  std::uint32_t add(quaff_op op, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0) {
    return push({static_cast<std::uint32_t>(op), {a, b, c}, 0});
  }
  std::uint32_t constant(std::int64_t value) { return push({QUAFF_OP_CONST, {0, 0, 0}, value}); }
  std::uint32_t variable(std::string name) {
    names.push_back(std::move(name));
    return push({QUAFF_OP_VAR, {0, 0, 0}, static_cast<std::int64_t>(names.size() - 1)});
  }

private:
  std::uint32_t push(quaff_node node) {
    nodes.push_back(node);
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
};

/// An expression. Copies share it.
class Expr {
public:
  /// Reads text. It is explicit nowhere, so that `simplify("i*4//4", domain)` is a call.
  Expr(std::string_view text) {
    quaff_expr *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_expr_parse(str(text), &made, error); });
    handle_.reset(made);
  }
  Expr(const char *text) : Expr(std::string_view(text)) {}
  Expr(const std::string &text) : Expr(std::string_view(text)) {}
  Expr(std::int64_t value) : Expr(std::to_string(value)) {}
  Expr(int value) : Expr(std::int64_t{value}) {}

  /// The expression of one node.
  Expr(const Nodes &nodes, std::uint32_t root) {
    const detail::Strs names(nodes.names);
    quaff_expr *made = nullptr;
    detail::call([&](quaff_error **error) {
      return quaff_expr_from_nodes({nodes.nodes.data(), nodes.nodes.size()}, names.span(), root, &made, error);
    });
    handle_.reset(made);
  }

  Expr(const Expr &other) : handle_(quaff_expr_clone(other.get())) {}
  Expr(Expr &&) noexcept = default;
  Expr &operator=(const Expr &other) { return *this = Expr(other); }
  Expr &operator=(Expr &&) noexcept = default;

  /// A copy of what a handle of C lends.
  static Expr borrowed(const quaff_expr *expr) { return Expr(Adopted{quaff_expr_clone(expr)}); }
  static std::optional<Expr> maybe(const quaff_expr *expr) { return expr ? std::optional(borrowed(expr)) : std::nullopt; }
  /// Owns a handle of C.
  static Expr adopted(quaff_expr *expr) { return Expr(Adopted{expr}); }

  std::string text() const {
    quaff_str text{};
    detail::call([&](quaff_error **error) { return quaff_expr_text(get(), &text, error); });
    return copy(text);
  }
  Nodes nodes() const { return Nodes::of(quaff_expr_nodes(get()), false); }

  std::int64_t eval(const std::vector<std::pair<std::string, std::int64_t>> &point) const {
    std::vector<quaff_str> names;
    std::vector<std::int64_t> values;
    for (const auto &[name, value] : point) {
      names.push_back(str(name));
      values.push_back(value);
    }
    std::int64_t value = 0;
    detail::call([&](quaff_error **error) {
      return quaff_expr_eval(get(), {names.data(), names.size()}, {values.data(), values.size()}, &value, error);
    });
    return value;
  }

  const quaff_expr *get() const noexcept { return handle_.get(); }

private:
  struct Adopted {
    quaff_expr *handle;
  };
  explicit Expr(Adopted adopted) : handle_(adopted.handle) {}

  detail::Handle<quaff_expr, quaff_expr_free> handle_;
};

namespace detail {

/// The pointers of expressions.
class Exprs {
public:
  explicit Exprs(const std::vector<Expr> &exprs) {
    all_.reserve(exprs.size());
    for (const Expr &expr : exprs) all_.push_back(expr.get());
  }
  quaff_expr_span span() const { return {all_.data(), all_.size()}; }

private:
  std::vector<const quaff_expr *> all_;
};

/// Copies of `count` expressions that a handle lends.
template <class At> std::vector<Expr> lent(std::size_t count, At &&at) {
  std::vector<Expr> all;
  all.reserve(count);
  for (std::size_t number = 0; number < count; ++number) all.push_back(Expr::borrowed(at(number)));
  return all;
}

} // namespace detail

/// What is known of variables.
class Domain {
public:
  Domain() : handle_(quaff_domain_new()) {}
  /// Reads text, such as `n=1..64, i=0..n - 1, assume i < 9`.
  Domain(std::string_view text) {
    quaff_domain *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_domain_parse(str(text), &made, error); });
    handle_.reset(made);
  }
  Domain(const char *text) : Domain(std::string_view(text)) {}
  Domain(const std::string &text) : Domain(std::string_view(text)) {}
  Domain(const Domain &other) : Domain(Adopted{quaff_domain_clone(other.get())}) {}
  Domain(Domain &&) noexcept = default;
  Domain &operator=(const Domain &other) { return *this = Domain(other); }
  Domain &operator=(Domain &&) noexcept = default;

  /// A copy of what a handle of C lends.
  static Domain borrowed(const quaff_domain *domain) { return Domain(Adopted{quaff_domain_clone(domain)}); }

  Domain &add(std::string_view text) { return changed(quaff_domain_add, str(text)); }
  /// Both ends inclusive; `INT64_MIN` and `INT64_MAX` are open.
  Domain &range(std::string_view name, std::int64_t lower, std::int64_t upper) {
    return changed(quaff_domain_range, str(name), lower, upper);
  }
  Domain &bounds(std::string_view name, const std::optional<Expr> &lower, const std::optional<Expr> &upper) {
    return changed(quaff_domain_bounds, str(name), lower ? lower->get() : nullptr, upper ? upper->get() : nullptr);
  }
  Domain &step(std::string_view name, std::int64_t modulus, std::int64_t residue = 0) {
    return changed(quaff_domain_step, str(name), modulus, residue);
  }
  Domain &assume(const Expr &condition) { return changed(quaff_domain_assume, condition.get()); }
  Domain &uniform(std::string_view name) { return changed(quaff_domain_uniform, str(name)); }
  Domain &opaque(std::string_view name, std::string_view text) { return changed(quaff_domain_opaque, str(name), str(text)); }
  Domain &nonempty(std::string_view name) { return changed(quaff_domain_nonempty, str(name)); }
  Domain &loop(const std::vector<std::string> &names) { return changed(quaff_domain_loop, detail::Strs(names).span()); }
  Domain &defined() { return changed(quaff_domain_defined); }

  /// Throws where what is said cannot be true.
  void check() const {
    detail::call([&](quaff_error **error) { return quaff_domain_check(get(), error); });
  }
  std::string text() const { return copy(quaff_domain_text(get())); }
  const quaff_domain *get() const noexcept { return handle_.get(); }

private:
  struct Adopted {
    quaff_domain *handle;
  };
  explicit Domain(Adopted adopted) : handle_(adopted.handle) {}

  template <class Function, class... Arguments> Domain &changed(Function function, Arguments... arguments) {
    detail::call([&](quaff_error **error) { return function(handle_.get(), arguments..., error); });
    return *this;
  }

  detail::Handle<quaff_domain, quaff_domain_free> handle_;
};

/// An answer as program text.
class Text {
public:
  struct Result {
    std::string text, type;
  };
  struct Parameter {
    std::string name, type, variable;
  };
  struct Divisor {
    std::string name, divisor, setup;
  };

  explicit Text(quaff_text *text) : handle_(text) {}

  std::string body() const { return copy(quaff_text_body(get())); }
  std::string whole() const { return copy(quaff_text_whole(get())); }
  std::string prelude() const { return copy(quaff_text_prelude(get())); }
  std::string host() const { return copy(quaff_text_host(get())); }

  std::vector<std::string> statements() const {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < quaff_text_statement_count(get()); ++at) all.push_back(copy(quaff_text_statement(get(), at)));
    return all;
  }
  std::vector<Result> results() const {
    std::vector<Result> all;
    for (std::size_t at = 0; at < quaff_text_result_count(get()); ++at) {
      const quaff_result one = quaff_text_result(get(), at);
      all.push_back({copy(one.text), copy(one.type_name)});
    }
    return all;
  }
  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all;
    for (std::size_t at = 0; at < quaff_text_parameter_count(get()); ++at) {
      const quaff_parameter one = quaff_text_parameter(get(), at);
      all.push_back({copy(one.name), copy(one.type_name), copy(one.variable)});
    }
    return all;
  }
  std::vector<Divisor> divisors() const {
    std::vector<Divisor> all;
    for (std::size_t at = 0; at < quaff_text_divisor_count(get()); ++at) {
      const quaff_divisor one = quaff_text_divisor(get(), at);
      all.push_back({copy(one.name), copy(one.divisor), copy(one.setup)});
    }
    return all;
  }

  /// The whole text as a function.
  std::string function(std::string_view name) {
    quaff_str made{};
    detail::call([&](quaff_error **error) { return quaff_text_function(handle_.get(), str(name), &made, error); });
    return copy(made);
  }
  const quaff_text *get() const noexcept { return handle_.get(); }

private:
  detail::Handle<quaff_text, quaff_text_free> handle_;
};

/// What `simplify` answers.
class Answer {
public:
  explicit Answer(quaff_answer *answer) : handle_(answer) {}

  std::vector<Expr> exprs() const {
    return detail::lent(quaff_answer_count(get()), [&](std::size_t at) { return quaff_answer_expr(get(), at); });
  }
  /// The first expression.
  Expr expr() const { return Expr::borrowed(quaff_answer_expr(get(), 0)); }
  Nodes nodes() const { return Nodes::of(quaff_answer_nodes(get()), true); }
  double cost() const { return quaff_answer_cost(get()); }
  double input_cost() const { return quaff_answer_input_cost(get()); }
  double least_cost() const { return quaff_answer_least_cost(get()); }
  bool saturated() const { return quaff_answer_saturated(get()); }

  Text text(quaff_language language = QUAFF_LANGUAGE_CUDA) const {
    quaff_text *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_answer_text(get(), language, &made, error); });
    return Text(made);
  }
  const quaff_answer *get() const noexcept { return handle_.get(); }

private:
  detail::Handle<quaff_answer, quaff_answer_free> handle_;
};

/// Points that show that something is not so. Names are empty for outputs.
using Witness = std::vector<std::vector<std::pair<std::string, std::int64_t>>>;

/// Whether something is so, and what shows that it is not.
struct Verdict {
  bool holds;
  Witness witness;
};

/// An index as a sum.
struct Parts {
  std::vector<Expr> parts;
  Expr shared;
  std::vector<Expr> mixed;
};

/// A coordinate that wraps around: `(origin + c)%extent`.
struct Wrap {
  Expr origin, extent;
};

/// One dimension of a strided access.
struct Dimension {
  std::string axis;
  std::int64_t below;
  bool partial;
  std::optional<Expr> extent;
  Expr stride;
  std::optional<Wrap> wrap;
};

/// A strided access.
struct Strided {
  std::vector<Dimension> dimensions;
  Expr offset;
};

/// The term of an index for which no strides are proved.
struct NotStrided {
  Expr term;
};

/// Each input by the outputs, and where a place is an output; empty where each one is.
struct Inverse {
  std::vector<Expr> inputs;
  std::optional<Expr> inside;
};

/// Conditions that suffice together.
struct When {
  std::vector<Expr> conditions;
  /// Empty where it is not decided.
  std::optional<bool> necessary;
  /// All conditions as one; 1 where there are none.
  Expr test;
  /// The test of the host in the language that was asked for; empty where none was.
  std::string code;
};

/// The values of an index.
struct Image {
  Range range;
  /// Whether both ends of the range are values.
  bool has_ends;
  /// It divides the differences of all values; 0 where there is one value.
  std::int64_t stride;
  /// Whether each number from the least to the greatest value, in steps of the stride, is a value. Empty where it is not decided.
  std::optional<bool> dense;
  /// A number that is no value, where they are not dense.
  std::optional<std::int64_t> hole;
  /// The number of different values, where it is found.
  std::optional<std::int64_t> count;
};

/// The values of a variable.
struct VariableRange {
  std::string name;
  Range range;
  quaff_congruence congruence;
  /// Whether both ends of the range are shown to be values.
  bool has_ends;
};

/// A variable counted in steps.
struct Counted {
  std::string name;
  /// Empty where there is one value.
  std::optional<std::string> counter;
  /// The variable by its counter, and the counter by the variable.
  Expr value, count;
};

/// Expressions over counted variables.
struct Rescaled {
  std::vector<Expr> exprs;
  Domain domain;
  std::vector<Counted> counted;
};

/// An iterator with its scale: `scale * (source//lower%modulus)`, where the digit is in `0..extent`.
struct Iterator {
  Expr digit, source, lower;
  std::optional<Expr> modulus;
  Expr extent, scale;
};

/// An output as a sum of iterators, the slowest one first.
struct IterSum {
  std::vector<Iterator> iterators;
  Expr base;
};

/// Places of the quotients `source//lower` that no value has.
struct Padding {
  Expr source, lower, left, right;
};

/// A map as sums of iterators.
struct IterMap {
  std::vector<IterSum> outputs;
  std::vector<Padding> padding;
  /// Empty where it is not decided.
  std::optional<bool> bijective;
};

/// The first output that is no sum of iterators, and the part of it at fault.
struct NoIterator {
  std::size_t output;
  Expr part;
};

/// An iterator with the number of its values.
struct Axis {
  Expr iterator, extent;
};

/// An output as `outer * stride + inner`.
struct Division {
  Expr outer, outer_extent, stride, inner, inner_extent;
};

/// A map divided by its inputs.
struct Subspace {
  std::vector<Division> outputs;
  std::vector<Expr> outer_conditions, inner_conditions;
};

/// A part of a map that does not come apart.
struct Mixed {
  Expr part;
};

namespace detail {

inline std::optional<bool> decided(quaff_decision decision) {
  return decision == QUAFF_DECISION_UNKNOWN ? std::nullopt : std::optional(decision == QUAFF_DECISION_YES);
}

/// The iterators of a handle, which is freed.
inline std::vector<Axis> axes(quaff_axes *made) {
  const Handle<quaff_axes, quaff_axes_free> held(made);
  std::vector<Axis> all;
  for (std::size_t at = 0; at < quaff_axes_count(made); ++at) {
    const quaff_axis one = quaff_axes_axis(made, at);
    all.push_back({Expr::borrowed(one.iterator), Expr::borrowed(one.extent)});
  }
  return all;
}

} // namespace detail

/// What is proved in a domain. One thread at a time may use it.
class Facts {
public:
  explicit Facts(quaff_facts *facts) : handle_(facts) {}

  Range bounds(const Expr &expr) {
    quaff_range range{};
    detail::call([&](quaff_error **error) { return quaff_facts_bounds(handle_.get(), expr.get(), &range, error); });
    return Range::of(range);
  }
  quaff_congruence congruence(const Expr &expr) {
    quaff_congruence found{};
    detail::call([&](quaff_error **error) { return quaff_facts_congruence(handle_.get(), expr.get(), &found, error); });
    return found;
  }
  /// Whether the condition holds at every point (true) or at none (false).
  std::optional<bool> prove(const Expr &condition) {
    bool holds = false;
    const bool proved =
        detail::call([&](quaff_error **error) { return quaff_facts_prove(handle_.get(), condition.get(), &holds, error); });
    return proved ? std::optional(holds) : std::nullopt;
  }
  std::optional<bool> equal(const Expr &a, const Expr &b) {
    bool holds = false;
    const bool proved =
        detail::call([&](quaff_error **error) { return quaff_facts_equal(handle_.get(), a.get(), b.get(), &holds, error); });
    return proved ? std::optional(holds) : std::nullopt;
  }

  /// Begins a level: what is added from now on holds until `pop`.
  void push() {
    detail::call([&](quaff_error **error) { return quaff_facts_push(handle_.get(), error); });
  }
  /// Ends the level that was begun last.
  void pop() {
    detail::call([&](quaff_error **error) { return quaff_facts_pop(handle_.get(), error); });
  }
  void assume(const Expr &condition) {
    detail::call([&](quaff_error **error) { return quaff_facts_assume(handle_.get(), condition.get(), error); });
  }
  void add(const Domain &domain) {
    detail::call([&](quaff_error **error) { return quaff_facts_add(handle_.get(), domain.get(), error); });
  }

private:
  detail::Handle<quaff_facts, quaff_facts_free> handle_;
};

/// Settings, and the calls that are made with them.
class Simplifier {
public:
  Simplifier() : handle_(quaff_simplifier_new()) {}

  Simplifier &effort(std::uint8_t effort) { return changed(quaff_simplifier_effort, effort); }
  Simplifier &target(std::string_view name) { return changed(quaff_simplifier_target, str(name)); }
  Simplifier &cost_model(quaff_cost_model model) { return changed(quaff_simplifier_cost_model, static_cast<std::uint32_t>(model)); }

  Answer simplify(const std::vector<Expr> &exprs, const Domain &domain) const {
    const detail::Exprs all(exprs);
    quaff_answer *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_simplify(get(), all.span(), domain.get(), &made, error); });
    return Answer(made);
  }
  Answer simplify(const Expr &expr, const Domain &domain) const {
    const quaff_expr *one = expr.get();
    quaff_answer *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_simplify(get(), {&one, 1}, domain.get(), &made, error); });
    return Answer(made);
  }
  /// Of the roots of nodes.
  Answer simplify(const Nodes &nodes, const Domain &domain) const {
    const detail::Strs names(nodes.names);
    quaff_answer *made = nullptr;
    detail::call([&](quaff_error **error) {
      return quaff_simplify_nodes(get(), {nodes.nodes.data(), nodes.nodes.size()}, names.span(),
                                  {nodes.roots.data(), nodes.roots.size()}, domain.get(), &made, error);
    });
    return Answer(made);
  }

  Facts facts(const Domain &domain) const {
    quaff_facts *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_facts_new(get(), domain.get(), &made, error); });
    return Facts(made);
  }

  quaff_lanes lanes(const Expr &index, std::string_view lane, const Domain &domain, const std::optional<Expr> &mask = std::nullopt,
                    std::int64_t most = 16) const {
    quaff_lanes found{};
    detail::call([&](quaff_error **error) {
      return quaff_ask_lanes(get(), index.get(), mask ? mask->get() : nullptr, str(lane), most, domain.get(), &found, error);
    });
    return found;
  }

  Parts parts(const Expr &index, const std::vector<std::vector<std::string>> &sets, const Domain &domain) const {
    std::vector<std::string> names;
    std::vector<std::int64_t> sizes;
    for (const auto &set : sets) {
      names.insert(names.end(), set.begin(), set.end());
      sizes.push_back(static_cast<std::int64_t>(set.size()));
    }
    const detail::Strs strs(names);
    quaff_parts *made = nullptr;
    detail::call([&](quaff_error **error) {
      return quaff_ask_parts(get(), index.get(), strs.span(), {sizes.data(), sizes.size()}, domain.get(), &made, error);
    });
    const detail::Handle<quaff_parts, quaff_parts_free> held(made);
    return {detail::lent(quaff_parts_count(made), [&](std::size_t at) { return quaff_parts_part(made, at); }),
            Expr::borrowed(quaff_parts_shared(made)),
            detail::lent(quaff_parts_mixed_count(made), [&](std::size_t at) { return quaff_parts_mixed(made, at); })};
  }

  std::variant<Strided, NotStrided> strides(const Expr &index, const std::vector<std::string> &axes, const Domain &domain) const {
    const detail::Strs strs(axes);
    quaff_strides *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_ask_strides(get(), index.get(), strs.span(), domain.get(), &made, error); });
    const detail::Handle<quaff_strides, quaff_strides_free> held(made);
    if (const quaff_expr *term = quaff_strides_not_strided(made)) return NotStrided{Expr::borrowed(term)};
    Strided found{{}, Expr::borrowed(quaff_strides_offset(made))};
    for (std::size_t at = 0; at < quaff_strides_count(made); ++at) {
      const quaff_dimension one = quaff_strides_dimension(made, at);
      std::optional<Wrap> wrap;
      if (one.wrap_origin) wrap = Wrap{Expr::borrowed(one.wrap_origin), Expr::borrowed(one.wrap_extent)};
      found.dimensions.push_back(
          {copy(one.axis), one.below, one.partial, Expr::maybe(one.extent), Expr::borrowed(one.stride), std::move(wrap)});
    }
    return found;
  }

  std::optional<Verdict> injective(const std::vector<Expr> &outputs, const std::vector<std::string> &inputs, const Domain &domain) const {
    const detail::Exprs exprs(outputs);
    const detail::Strs names(inputs);
    return verdict([&](quaff_witness **witness, quaff_error **error) {
      return quaff_ask_injective(get(), exprs.span(), names.span(), domain.get(), witness, error);
    });
  }
  std::optional<Verdict> surjective(const std::vector<Expr> &outputs, const std::vector<Expr> &extents,
                                    const std::vector<std::string> &inputs, const Domain &domain) const {
    const detail::Exprs exprs(outputs), ends(extents);
    const detail::Strs names(inputs);
    return verdict([&](quaff_witness **witness, quaff_error **error) {
      return quaff_ask_surjective(get(), exprs.span(), ends.span(), names.span(), domain.get(), witness, error);
    });
  }
  std::optional<Verdict> disjoint(const Expr &a, const Expr &b, const std::vector<std::string> &inputs, const Domain &domain) const {
    const detail::Strs names(inputs);
    return verdict([&](quaff_witness **witness, quaff_error **error) {
      return quaff_ask_disjoint(get(), a.get(), b.get(), names.span(), domain.get(), witness, error);
    });
  }

  /// `places` has a name and the number of values of each output.
  std::optional<Inverse> inverse(const std::vector<Expr> &outputs, const std::vector<std::pair<std::string, Expr>> &places,
                                 const std::vector<std::string> &inputs, const Domain &domain) const {
    std::vector<quaff_str> names;
    std::vector<const quaff_expr *> extents;
    for (const auto &[name, extent] : places) {
      names.push_back(str(name));
      extents.push_back(extent.get());
    }
    const detail::Exprs exprs(outputs);
    const detail::Strs strs(inputs);
    quaff_inverse *made = nullptr;
    detail::call([&](quaff_error **error) {
      return quaff_ask_inverse(get(), exprs.span(), {names.data(), names.size()}, {extents.data(), extents.size()}, strs.span(),
                               domain.get(), &made, error);
    });
    const detail::Handle<quaff_inverse, quaff_inverse_free> held(made);
    if (!made) return std::nullopt;
    return Inverse{detail::lent(quaff_inverse_count(made), [&](std::size_t at) { return quaff_inverse_input(made, at); }),
                   Expr::maybe(quaff_inverse_inside(made))};
  }

  /// Each alternative suffices. None where nothing is found. `language` is the name of a dialect for the tests of the host, such as `c`.
  std::vector<When> when(const Expr &condition, const std::vector<std::string> &sizes, const Domain &domain,
                         std::string_view language = {}) const {
    const detail::Strs names(sizes);
    return alternatives(language, [&](quaff_when **when, quaff_error **error) {
      return quaff_ask_when(get(), condition.get(), names.span(), domain.get(), when, error);
    });
  }
  /// When one access covers each `width` neighbouring lanes.
  std::vector<When> when_vector(const Expr &index, std::string_view lane, std::int64_t width, const std::vector<std::string> &sizes,
                                const Domain &domain, const std::optional<Expr> &mask = std::nullopt,
                                std::string_view language = {}) const {
    const detail::Strs names(sizes);
    return alternatives(language, [&](quaff_when **when, quaff_error **error) {
      return quaff_ask_when_vector(get(), index.get(), mask ? mask->get() : nullptr, str(lane), width, names.span(), domain.get(), when,
                                   error);
    });
  }
  /// When two accesses have no address in common, with values of their own for `inputs`.
  std::vector<When> when_disjoint(const Expr &a, const Expr &b, const std::vector<std::string> &inputs,
                                  const std::vector<std::string> &sizes, const Domain &domain, std::string_view language = {}) const {
    const detail::Strs own(inputs), names(sizes);
    return alternatives(language, [&](quaff_when **when, quaff_error **error) {
      return quaff_ask_when_disjoint(get(), a.get(), b.get(), own.span(), names.span(), domain.get(), when, error);
    });
  }

  Image image(const Expr &index, const Domain &domain) const {
    quaff_image found{};
    detail::call([&](quaff_error **error) { return quaff_ask_image(get(), index.get(), domain.get(), &found, error); });
    const auto hole = found.dense == QUAFF_DECISION_NO ? std::optional(found.hole) : std::nullopt;
    const auto count = found.count ? std::optional(found.count) : std::nullopt;
    return {Range::of(found.range), found.has_ends, found.stride, detail::decided(found.dense), hole, count};
  }

  /// The range of each variable that conditions leave.
  std::vector<VariableRange> ranges(const std::vector<std::string> &variables, const Domain &domain) const {
    const detail::Strs names(variables);
    quaff_ranges *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_ask_ranges(get(), names.span(), domain.get(), &made, error); });
    const detail::Handle<quaff_ranges, quaff_ranges_free> held(made);
    std::vector<VariableRange> all;
    for (std::size_t at = 0; at < quaff_ranges_count(made); ++at) {
      const quaff_variable_range one = quaff_ranges_variable(made, at);
      all.push_back({copy(one.name), Range::of(one.range), one.congruence, one.has_ends});
    }
    return all;
  }

  /// Expressions with counters in the place of variables whose values are a number of steps apart.
  Rescaled rescale(const std::vector<Expr> &exprs, const std::vector<std::string> &variables, const Domain &domain) const {
    const detail::Exprs all(exprs);
    const detail::Strs names(variables);
    quaff_rescaled *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_ask_rescale(get(), all.span(), names.span(), domain.get(), &made, error); });
    const detail::Handle<quaff_rescaled, quaff_rescaled_free> held(made);
    Rescaled found{detail::lent(quaff_rescaled_count(made), [&](std::size_t at) { return quaff_rescaled_expr(made, at); }),
                   Domain::borrowed(quaff_rescaled_domain(made)), {}};
    for (std::size_t at = 0; at < quaff_rescaled_counted_count(made); ++at) {
      const quaff_counted one = quaff_rescaled_counted(made, at);
      const auto counter = one.counter.size ? std::optional(copy(one.counter)) : std::nullopt;
      found.counted.push_back({copy(one.name), counter, Expr::borrowed(one.value), Expr::borrowed(one.count)});
    }
    return found;
  }

  /// Each output as a base and a sum of iterators.
  std::variant<IterMap, NoIterator> iters(const std::vector<Expr> &outputs, const std::vector<std::string> &inputs,
                                          const Domain &domain) const {
    const detail::Exprs exprs(outputs);
    const detail::Strs names(inputs);
    quaff_iters *made = nullptr;
    detail::call([&](quaff_error **error) { return quaff_ask_iters(get(), exprs.span(), names.span(), domain.get(), &made, error); });
    const detail::Handle<quaff_iters, quaff_iters_free> held(made);
    if (const quaff_expr *part = quaff_iters_no_iterator(made)) return NoIterator{quaff_iters_no_iterator_output(made), Expr::borrowed(part)};
    IterMap found{{}, {}, detail::decided(quaff_iters_bijective(made))};
    for (std::size_t output = 0; output < quaff_iters_count(made); ++output) {
      IterSum sum{{}, Expr::borrowed(quaff_iters_base(made, output))};
      for (std::size_t at = 0; at < quaff_iters_iterator_count(made, output); ++at) {
        const quaff_iterator one = quaff_iters_iterator(made, output, at);
        sum.iterators.push_back({Expr::borrowed(one.digit), Expr::borrowed(one.source), Expr::borrowed(one.lower),
                                 Expr::maybe(one.modulus), Expr::borrowed(one.extent), Expr::borrowed(one.scale)});
      }
      found.outputs.push_back(std::move(sum));
    }
    for (std::size_t at = 0; at < quaff_iters_padding_count(made); ++at) {
      const quaff_padding one = quaff_iters_padding(made, at);
      found.padding.push_back(
          {Expr::borrowed(one.source), Expr::borrowed(one.lower), Expr::borrowed(one.left), Expr::borrowed(one.right)});
    }
    return found;
  }

  /// A map divided into one of the inputs `inner` and one of all others.
  std::variant<Subspace, Mixed> subspace(const std::vector<Expr> &outputs, const std::vector<std::string> &inputs,
                                         const std::vector<std::string> &inner, const Domain &domain) const {
    const detail::Exprs exprs(outputs);
    const detail::Strs names(inputs), own(inner);
    quaff_subspace *made = nullptr;
    detail::call([&](quaff_error **error) {
      return quaff_ask_subspace(get(), exprs.span(), names.span(), own.span(), domain.get(), &made, error);
    });
    const detail::Handle<quaff_subspace, quaff_subspace_free> held(made);
    if (const quaff_expr *part = quaff_subspace_mixed(made)) return Mixed{Expr::borrowed(part)};
    Subspace found{{},
                   detail::lent(quaff_subspace_outer_condition_count(made),
                                [&](std::size_t at) { return quaff_subspace_outer_condition(made, at); }),
                   detail::lent(quaff_subspace_inner_condition_count(made),
                                [&](std::size_t at) { return quaff_subspace_inner_condition(made, at); })};
    for (std::size_t at = 0; at < quaff_subspace_count(made); ++at) {
      const quaff_division one = quaff_subspace_division(made, at);
      found.outputs.push_back({Expr::borrowed(one.outer), Expr::borrowed(one.outer_extent), Expr::borrowed(one.stride),
                               Expr::borrowed(one.inner), Expr::borrowed(one.inner_extent)});
    }
    return found;
  }

  const quaff_simplifier *get() const noexcept { return handle_.get(); }

private:
  template <class Function, class... Arguments> Simplifier &changed(Function function, Arguments... arguments) {
    detail::call([&](quaff_error **error) { return function(handle_.get(), arguments..., error); });
    return *this;
  }

  template <class Question> static std::optional<Verdict> verdict(Question &&question) {
    quaff_witness *made = nullptr;
    const bool proved = detail::call([&](quaff_error **error) { return question(&made, error); });
    const detail::Handle<quaff_witness, quaff_witness_free> held(made);
    if (!proved) return std::nullopt;
    Verdict verdict{made == nullptr, {}};
    for (std::size_t point = 0; point < quaff_witness_count(made); ++point) {
      auto &values = verdict.witness.emplace_back();
      for (std::size_t at = 0; at < quaff_witness_size(made, point); ++at)
        values.emplace_back(copy(quaff_witness_name(made, point, at)), quaff_witness_value(made, point, at));
    }
    return verdict;
  }

  template <class Question> static std::vector<When> alternatives(std::string_view language, Question &&question) {
    quaff_when *made = nullptr;
    detail::call([&](quaff_error **error) { return question(&made, error); });
    const detail::Handle<quaff_when, quaff_when_free> held(made);
    std::vector<When> all;
    for (std::size_t number = 0; number < quaff_when_count(made); ++number) {
      const auto condition_at = [&](std::size_t at) { return quaff_when_condition(made, number, at); };
      const quaff_necessity necessity = quaff_when_necessity(made, number);
      std::optional<bool> necessary;
      if (necessity != QUAFF_NECESSITY_UNKNOWN) necessary = necessity == QUAFF_NECESSITY_NECESSARY;
      quaff_str code{};
      if (!language.empty())
        detail::call([&](quaff_error **error) { return quaff_when_code(made, number, str(language), &code, error); });
      all.push_back({detail::lent(quaff_when_condition_count(made, number), condition_at), necessary,
                     Expr::borrowed(quaff_when_test(made, number)), copy(code)});
    }
    return all;
  }

  detail::Handle<quaff_simplifier, quaff_simplifier_free> handle_;
};

/// `Simplifier::simplify` with the defaults.
template <class Asked> Answer simplify(const Asked &asked, const Domain &domain) { return Simplifier().simplify(asked, domain); }

/// An offset as a base and an immediate operand of `lower..upper`, whose sum it is.
inline std::optional<std::pair<Expr, std::int64_t>> base_and_immediate(const Expr &offset, std::int64_t lower, std::int64_t upper) {
  quaff_expr *base = nullptr;
  std::int64_t immediate = 0;
  const bool found = detail::call([&](quaff_error **error) {
    return quaff_ask_base_and_immediate(offset.get(), lower, upper, &base, &immediate, error);
  });
  if (!found) return std::nullopt;
  return std::pair(Expr::adopted(base), immediate);
}

/// Iterators as one iterator, the first one slowest.
inline Axis fuse(const std::vector<Axis> &axes) {
  std::vector<const quaff_expr *> iterators, extents;
  for (const Axis &axis : axes) {
    iterators.push_back(axis.iterator.get());
    extents.push_back(axis.extent.get());
  }
  quaff_axes *made = nullptr;
  detail::call([&](quaff_error **error) {
    return quaff_fuse({iterators.data(), iterators.size()}, {extents.data(), extents.size()}, &made, error);
  });
  return detail::axes(made).at(0);
}

/// An iterator as two, the faster one of `factor` values, which is positive. The slower one is first.
inline std::pair<Axis, Axis> split(const Axis &axis, const Expr &factor) {
  quaff_axes *made = nullptr;
  detail::call([&](quaff_error **error) { return quaff_split(axis.iterator.get(), axis.extent.get(), factor.get(), &made, error); });
  const std::vector<Axis> both = detail::axes(made);
  return {both.at(0), both.at(1)};
}

} // namespace quaff

#endif
