/* quaff: the cheapest division-free form of integer index expressions, for C and C++.
 *
 * Ownership: a `const` pointer that a function returns is borrowed from its argument, and lives as long. A pointer
 * without `const` is the caller's, and the function `..._free` of its type frees it. Texts are always borrowed.
 *
 * Errors: a result is written at success. At an error it is NULL, 0 or empty. `*error` is NULL unless there is an
 * error, which is the caller's. `error` may be NULL. Other pointers may not, unless the function says so.
 *
 * Threads: there is no global state. Any number of threads may use a handle at once where all of them take it as
 * `const`. A function that takes it without `const` needs it alone.
 *
 * cbindgen makes this file of capi/src. */

#ifndef QUAFF_H
#define QUAFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * How a call ended. All but the first two are errors.
 */
typedef enum quaff_status {
  /**
   * The call did what it says.
   */
  QUAFF_STATUS_OK = 0,
  /**
   * The question has no proved answer, in either direction. This is no error: there is no `quaff_error`.
   */
  QUAFF_STATUS_NOT_PROVED = 1,
  /**
   * A pointer is NULL that must not be.
   */
  QUAFF_STATUS_NULL = 2,
  /**
   * A text is not UTF-8.
   */
  QUAFF_STATUS_UTF8 = 3,
  /**
   * A text is no expression.
   */
  QUAFF_STATUS_PARSE = 4,
  /**
   * What is said of variables cannot be read or cannot be true.
   */
  QUAFF_STATUS_DOMAIN = 5,
  /**
   * Nodes are no expression.
   */
  QUAFF_STATUS_NODES = 6,
  /**
   * An expression cannot be simplified: a variable is not declared, or a divisor can be 0.
   */
  QUAFF_STATUS_SIMPLIFY = 7,
  /**
   * An answer has no text in a language.
   */
  QUAFF_STATUS_LOWER = 8,
  /**
   * A question has no answer: a name is not known, or is given twice.
   */
  QUAFF_STATUS_ASK = 9,
  /**
   * An argument is outside of what the function takes.
   */
  QUAFF_STATUS_ARGUMENT = 10,
  /**
   * An expression has no value at a point.
   */
  QUAFF_STATUS_EVAL = 11,
  /**
   * A bug in quaff, which was caught. All handles can still be used, and must still be freed.
   */
  QUAFF_STATUS_INTERNAL = 12,
} quaff_status;

/**
 * What a `quaff_place` counts.
 */
typedef enum quaff_place_kind {
  /**
   * No place is known.
   */
  QUAFF_PLACE_KIND_NONE = 0,
  /**
   * Bytes of a text: of the argument of this call, or of the text from which an expression was parsed.
   */
  QUAFF_PLACE_KIND_TEXT = 1,
  /**
   * Nodes of a span, given to this call or to the one that made an expression.
   */
  QUAFF_PLACE_KIND_NODE = 2,
  /**
   * Roots, numbers of nodes.
   */
  QUAFF_PLACE_KIND_ROOT = 3,
} quaff_place_kind;

/**
 * Whether something holds for certain sizes only.
 */
typedef enum quaff_necessity {
  /**
   * It is not decided.
   */
  QUAFF_NECESSITY_UNKNOWN = 0,
  /**
   * It fails for all other sizes.
   */
  QUAFF_NECESSITY_NECESSARY = 1,
  /**
   * It also holds for other sizes.
   */
  QUAFF_NECESSITY_SUFFICIENT = 2,
} quaff_necessity;

/**
 * Whether something is so.
 */
typedef enum quaff_decision {
  /**
   * It is not decided.
   */
  QUAFF_DECISION_UNKNOWN = 0,
  /**
   * It is so.
   */
  QUAFF_DECISION_YES = 1,
  /**
   * It is not.
   */
  QUAFF_DECISION_NO = 2,
} quaff_decision;

/**
 * The operators of `quaff_node`. A comparison is 1 or 0. Arithmetic is that of integers without bounds.
 */
typedef enum quaff_op {
  /**
   * The integer `value`.
   */
  QUAFF_OP_CONST = 0,
  /**
   * The variable whose name is that of number `value`.
   */
  QUAFF_OP_VAR = 1,
  /**
   * `-a`
   */
  QUAFF_OP_NEG = 2,
  /**
   * `a + b`
   */
  QUAFF_OP_ADD = 3,
  /**
   * `a - b`
   */
  QUAFF_OP_SUB = 4,
  /**
   * `a * b`
   */
  QUAFF_OP_MUL = 5,
  /**
   * `a / b`, rounded down.
   */
  QUAFF_OP_FLOOR_DIV = 6,
  /**
   * The remainder of `QUAFF_OP_FLOOR_DIV`, with the sign of `b`.
   */
  QUAFF_OP_FLOOR_MOD = 7,
  /**
   * The smaller of `a` and `b`.
   */
  QUAFF_OP_MIN = 8,
  /**
   * The larger of `a` and `b`.
   */
  QUAFF_OP_MAX = 9,
  /**
   * `a < b`
   */
  QUAFF_OP_LT = 10,
  /**
   * `a <= b`
   */
  QUAFF_OP_LE = 11,
  /**
   * `a > b`
   */
  QUAFF_OP_GT = 12,
  /**
   * `a >= b`
   */
  QUAFF_OP_GE = 13,
  /**
   * `a == b`
   */
  QUAFF_OP_EQ = 14,
  /**
   * `a != b`
   */
  QUAFF_OP_NE = 15,
  /**
   * 1 where both are not 0. `b` is not evaluated where `a` is 0.
   */
  QUAFF_OP_AND = 16,
  /**
   * 1 where one is not 0. `b` is not evaluated where `a` is not 0.
   */
  QUAFF_OP_OR = 17,
  /**
   * 1 where `a` is 0.
   */
  QUAFF_OP_NOT = 18,
  /**
   * `b` where `a` is not 0, else `c`. The other one is not evaluated.
   */
  QUAFF_OP_SELECT = 19,
  /**
   * `a & b`
   */
  QUAFF_OP_BIT_AND = 20,
  /**
   * `a | b`
   */
  QUAFF_OP_BIT_OR = 21,
  /**
   * `a ^ b`
   */
  QUAFF_OP_BIT_XOR = 22,
  /**
   * `a << b`
   */
  QUAFF_OP_SHL = 23,
  /**
   * `a >> b`, which is `a / 2^b` rounded down.
   */
  QUAFF_OP_SHR = 24,
  /**
   * `a / b`, rounded towards zero as in C.
   */
  QUAFF_OP_TRUNC_DIV = 25,
  /**
   * The remainder of `QUAFF_OP_TRUNC_DIV`, with the sign of `a`.
   */
  QUAFF_OP_TRUNC_MOD = 26,
} quaff_op;

/**
 * The languages of texts.
 */
typedef enum quaff_language {
  /**
   * CUDA.
   */
  QUAFF_LANGUAGE_CUDA = 0,
  /**
   * C99.
   */
  QUAFF_LANGUAGE_C = 1,
  /**
   * Rust.
   */
  QUAFF_LANGUAGE_RUST = 2,
  /**
   * Python.
   */
  QUAFF_LANGUAGE_PYTHON = 3,
  /**
   * Triton.
   */
  QUAFF_LANGUAGE_TRITON = 4,
} quaff_language;

/**
 * What answers are chosen by.
 */
typedef enum quaff_cost_model {
  /**
   * The instructions of the division-free text of the target. The default.
   */
  QUAFF_COST_MODEL_GPU = 0,
  /**
   * The instructions of a host whose division rounds towards zero, and that corrects those of what may be negative.
   */
  QUAFF_COST_MODEL_TRUNCATING = 1,
  /**
   * The number of operations.
   */
  QUAFF_COST_MODEL_OPERATIONS = 2,
} quaff_cost_model;

/**
 * An answer. It never changes, so any number of threads may use it at once. It is freed by `quaff_answer_free`.
 */
typedef struct quaff_answer quaff_answer;

/**
 * Iterators, the slowest one first, with the numbers of their values. It is freed by `quaff_axes_free`.
 */
typedef struct quaff_axes quaff_axes;

/**
 * What is known of variables. Functions that take a pointer without `const` change it, and nothing else may use it meanwhile. Otherwise any number
 * of threads may use it at once. It is freed by `quaff_domain_free`.
 */
typedef struct quaff_domain quaff_domain;

/**
 * An error: a status, a message, and the place. It is freed by `quaff_error_free`.
 */
typedef struct quaff_error quaff_error;

/**
 * An expression. It never changes, so any number of threads may use it at once. It is freed by `quaff_expr_free`, where the pointer to it is not
 * `const`.
 */
typedef struct quaff_expr quaff_expr;

/**
 * What is proved in one domain. Questions change what it remembers: one thread at a time may use it. It is freed by `quaff_facts_free`.
 */
typedef struct quaff_facts quaff_facts;

/**
 * The inverse of a map. It is freed by `quaff_inverse_free`.
 */
typedef struct quaff_inverse quaff_inverse;

/**
 * A map as sums of iterators, or the part that is none. It is freed by `quaff_iters_free`.
 */
typedef struct quaff_iters quaff_iters;

/**
 * The nodes of expressions, each distinct part once, and what belongs to them. It is borrowed from the handle that it comes from.
 */
typedef struct quaff_nodes quaff_nodes;

/**
 * An index as a sum: one part for each set of variables, one without any of them, and terms that do not come apart. It is freed by
 * `quaff_parts_free`.
 */
typedef struct quaff_parts quaff_parts;

/**
 * The ranges of variables. It is freed by `quaff_ranges_free`.
 */
typedef struct quaff_ranges quaff_ranges;

/**
 * Expressions over counted variables. It is freed by `quaff_rescaled_free`.
 */
typedef struct quaff_rescaled quaff_rescaled;

/**
 * The settings of calls. Where a function takes a `const quaff_simplifier *`, NULL has the defaults, and any number of threads may use one at once.
 * It is freed by `quaff_simplifier_free`.
 */
typedef struct quaff_simplifier quaff_simplifier;

/**
 * The shape and the strides of an index. It is freed by `quaff_strides_free`.
 */
typedef struct quaff_strides quaff_strides;

/**
 * A map divided into an outer and an inner one, or the part that does not come apart. It is freed by `quaff_subspace_free`.
 */
typedef struct quaff_subspace quaff_subspace;

/**
 * Program text in pieces. It is freed by `quaff_text_free`. All texts that its functions give are borrowed from it.
 */
typedef struct quaff_text quaff_text;

/**
 * Conditions on sizes, in alternatives of which each suffices. It is freed by `quaff_when_free`.
 */
typedef struct quaff_when quaff_when;

/**
 * Points that show that something is not so. It is freed by `quaff_witness_free`.
 */
typedef struct quaff_witness quaff_witness;

/**
 * UTF-8 text that someone else owns. It need not end with a 0 where it is passed to quaff. Where it comes from quaff, a 0 follows it.
 */
typedef struct quaff_str {
  /**
   * The first byte. It may be NULL where `size` is 0.
   */
  const char *data;
  /**
   * The number of bytes.
   */
  size_t size;
} quaff_str;

/**
 * The part of an input that an error is about.
 */
typedef struct quaff_place {
  /**
   * What `begin` and `end` count.
   */
  enum quaff_place_kind kind;
  /**
   * The number of the input, from 0 on, where a call takes several expressions or names. Otherwise 0.
   */
  size_t input;
  /**
   * The first byte, node or root.
   */
  size_t begin;
  /**
   * The one behind the last.
   */
  size_t end;
} quaff_place;

/**
 * One node of expressions. Operands are numbers of nodes that come before it.
 */
typedef struct quaff_node {
  /**
   * One of `quaff_op`.
   */
  uint32_t op;
  /**
   * The operands. Those that the operator does not have are not read, and are 0 where quaff writes them.
   */
  uint32_t operands[3];
  /**
   * The value of a constant, or the number of the name of a variable. Of other nodes it is not read, and is 0 where quaff writes it.
   */
  int64_t value;
} quaff_node;

/**
 * Nodes of expressions, operands before their users.
 */
typedef struct quaff_node_span {
  /**
   * The first node. It may be NULL where `size` is 0.
   */
  const struct quaff_node *data;
  /**
   * The number of nodes.
   */
  size_t size;
} quaff_node_span;

/**
 * Numbers of nodes.
 */
typedef struct quaff_id_span {
  /**
   * The first number. It may be NULL where `size` is 0.
   */
  const uint32_t *data;
  /**
   * The number of numbers.
   */
  size_t size;
} quaff_id_span;

/**
 * Integers from `lower` to `upper`, both inclusive. `INT64_MIN` and `INT64_MAX` are open ends.
 */
typedef struct quaff_range {
  /**
   * The least one.
   */
  int64_t lower;
  /**
   * The greatest one.
   */
  int64_t upper;
} quaff_range;

/**
 * Texts, such as names of variables.
 */
typedef struct quaff_str_span {
  /**
   * The first text. It may be NULL where `size` is 0.
   */
  const struct quaff_str *data;
  /**
   * The number of texts.
   */
  size_t size;
} quaff_str_span;

/**
 * Integers.
 */
typedef struct quaff_int_span {
  /**
   * The first integer. It may be NULL where `size` is 0.
   */
  const int64_t *data;
  /**
   * The number of integers.
   */
  size_t size;
} quaff_int_span;

/**
 * Expressions.
 */
typedef struct quaff_expr_span {
  /**
   * The first pointer. It may be NULL where `size` is 0.
   */
  const struct quaff_expr *const *data;
  /**
   * The number of expressions.
   */
  size_t size;
} quaff_expr_span;

/**
 * The value of one expression.
 */
typedef struct quaff_result {
  /**
   * An expression over parameters and what statements define.
   */
  struct quaff_str text;
  /**
   * Its type, such as `int`. Empty where the language has none.
   */
  struct quaff_str type_name;
} quaff_result;

/**
 * A parameter of the function that a text is the body of.
 */
typedef struct quaff_parameter {
  /**
   * How the text calls it.
   */
  struct quaff_str name;
  /**
   * The type that the text relies on, such as `int`. Empty where the language has none.
   */
  struct quaff_str type_name;
  /**
   * The variable of the expressions. It has another name in the text where the language does not take its own.
   */
  struct quaff_str variable;
} quaff_parameter;

/**
 * A divisor that the host prepares: a parameter of type `quaff_fastdivmod_t`.
 */
typedef struct quaff_divisor {
  /**
   * How the text calls it.
   */
  struct quaff_str name;
  /**
   * What is divided by.
   */
  struct quaff_str divisor;
  /**
   * The expression of the host that makes it.
   */
  struct quaff_str setup;
} quaff_divisor;

/**
 * The values `residue` modulo `modulus`: all where that is 1, and the residue alone where it is 0.
 */
typedef struct quaff_congruence {
  /**
   * The remainder.
   */
  int64_t residue;
  /**
   * The number that is divided by.
   */
  int64_t modulus;
} quaff_congruence;

/**
 * What is proved of an index along a lane variable.
 */
typedef struct quaff_lanes {
  /**
   * The number of lanes.
   */
  int64_t count;
  /**
   * In each group of so many lanes, the index grows by 1 from lane to lane.
   */
  int64_t contiguity;
  /**
   * In each group of so many lanes, the index is the same.
   */
  int64_t constancy;
  /**
   * A number that divides the first value of each contiguous group. 0 where that value is always 0.
   */
  int64_t divisibility;
  /**
   * In each group of so many lanes, the mask is the same. 0 without a mask.
   */
  int64_t mask_constancy;
  /**
   * The most lanes, a power of two, that one access covers.
   */
  int64_t vector;
} quaff_lanes;

/**
 * One dimension of a strided access. All pointers are borrowed from the handle of the strides.
 */
typedef struct quaff_dimension {
  /**
   * The variable of the axis.
   */
  struct quaff_str axis;
  /**
   * The coordinate is the digit `axis//below%extent`, and `axis//below` for the slowest one of an axis.
   */
  int64_t below;
  /**
   * Whether the last coordinate has fewer elements than the others.
   */
  bool partial;
  /**
   * The number of coordinates. NULL where the range of the axis is open.
   */
  const struct quaff_expr *extent;
  /**
   * By what the index changes from a coordinate to the next one.
   */
  const struct quaff_expr *stride;
  /**
   * Where the coordinate `c` starts, if it wraps around: `(origin + c)%wrap_extent` takes its place. NULL where it does not.
   */
  const struct quaff_expr *wrap_origin;
  /**
   * The end, at which the coordinate begins again. NULL where it does not wrap around.
   */
  const struct quaff_expr *wrap_extent;
} quaff_dimension;

/**
 * The set of values of an index.
 */
typedef struct quaff_image {
  /**
   * All values are in it. An end is open where none is found.
   */
  struct quaff_range range;
  /**
   * Whether both ends of the range are values.
   */
  bool has_ends;
  /**
   * It divides the differences of all values. 0 where there is one value.
   */
  int64_t stride;
  /**
   * Whether each number from the least to the greatest value, in steps of the stride, is a value.
   */
  enum quaff_decision dense;
  /**
   * A number that is no value, where the values are not dense. Otherwise 0.
   */
  int64_t hole;
  /**
   * The number of different values. 0 where it is not found.
   */
  int64_t count;
} quaff_image;

/**
 * The values of one variable.
 */
typedef struct quaff_variable_range {
  /**
   * The variable.
   */
  struct quaff_str name;
  /**
   * All values are in it. An end is open where none is found.
   */
  struct quaff_range range;
  /**
   * All values satisfy it. The modulus is 0 where there is one value.
   */
  struct quaff_congruence congruence;
  /**
   * Whether both ends of the range are shown to be values.
   */
  bool has_ends;
} quaff_variable_range;

/**
 * A variable counted in steps. All pointers are borrowed from the handle of the rescaled expressions.
 */
typedef struct quaff_counted {
  /**
   * The variable.
   */
  struct quaff_str name;
  /**
   * The variable that counts the steps. Empty where there is one value.
   */
  struct quaff_str counter;
  /**
   * The variable by its counter: `counter*step + first`.
   */
  const struct quaff_expr *value;
  /**
   * The counter by the variable: `(name - first)//step`.
   */
  const struct quaff_expr *count;
} quaff_counted;

/**
 * An iterator with its scale: `scale * digit`. All pointers are borrowed from the handle of the sums.
 */
typedef struct quaff_iterator {
  /**
   * `source//lower%modulus`, which is in `0..extent`.
   */
  const struct quaff_expr *digit;
  /**
   * A variable, or a sum of iterators that are one iterator together.
   */
  const struct quaff_expr *source;
  /**
   * By what the source is divided.
   */
  const struct quaff_expr *lower;
  /**
   * The divisor of the remainder. NULL where there is none.
   */
  const struct quaff_expr *modulus;
  /**
   * The number of values.
   */
  const struct quaff_expr *extent;
  /**
   * By what the output changes from a digit to the next one.
   */
  const struct quaff_expr *scale;
} quaff_iterator;

/**
 * Places of the quotients `source//lower` that no value has. All pointers are borrowed from the handle of the sums.
 */
typedef struct quaff_padding {
  /**
   * What is divided.
   */
  const struct quaff_expr *source;
  /**
   * By what it is divided.
   */
  const struct quaff_expr *lower;
  /**
   * The number of places before the first value.
   */
  const struct quaff_expr *left;
  /**
   * The number of places behind the last value.
   */
  const struct quaff_expr *right;
} quaff_padding;

/**
 * An iterator with the number of its values. Both pointers are borrowed from the handle of the iterators.
 */
typedef struct quaff_axis {
  /**
   * The iterator, in `0..extent`.
   */
  const struct quaff_expr *iterator;
  /**
   * The number of its values.
   */
  const struct quaff_expr *extent;
} quaff_axis;

/**
 * An output as `outer * stride + inner`. All pointers are borrowed from the handle of the map.
 */
typedef struct quaff_division {
  /**
   * Without inner inputs; in `0..outer_extent`.
   */
  const struct quaff_expr *outer;
  /**
   * The number of values of the outer part at most.
   */
  const struct quaff_expr *outer_extent;
  /**
   * No less than the number of values of the inner part, where the outer part has several values.
   */
  const struct quaff_expr *stride;
  /**
   * Of the inner inputs alone, with the base of the output.
   */
  const struct quaff_expr *inner;
  /**
   * The number of values from the least to the greatest one of the inner part at most.
   */
  const struct quaff_expr *inner_extent;
} quaff_division;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The status that the call returned. `QUAFF_STATUS_OK` for NULL.
 */
enum quaff_status quaff_error_status(const struct quaff_error *error);

/**
 * What is wrong, for people. It is borrowed from `error`, and empty for NULL.
 */
struct quaff_str quaff_error_message(const struct quaff_error *error);

/**
 * What is wrong, for programs: a name such as `quaff::zero_divisor`. It is borrowed from `error`, and empty for NULL.
 */
struct quaff_str quaff_error_code(const struct quaff_error *error);

/**
 * What to do, or nothing. It is borrowed from `error`, and empty for NULL.
 */
struct quaff_str quaff_error_help(const struct quaff_error *error);

/**
 * The part of an input that the error is about.
 */
struct quaff_place quaff_error_place(const struct quaff_error *error);

/**
 * Frees an error. NULL is nothing.
 */
void quaff_error_free(struct quaff_error *error);

/**
 * The version of the library, such as `0.1.0`.
 */
struct quaff_str quaff_version(void);

/**
 * All nodes, operands before their users. They are borrowed from `nodes`. No nodes for NULL.
 */
struct quaff_node_span quaff_nodes_all(const struct quaff_nodes *nodes);

/**
 * The nodes that are the expressions, in their order. They are borrowed from `nodes`. None for NULL.
 */
struct quaff_id_span quaff_nodes_roots(const struct quaff_nodes *nodes);

/**
 * The number of names of variables. 0 for NULL.
 */
size_t quaff_nodes_name_count(const struct quaff_nodes *nodes);

/**
 * The name of number `at`. It is borrowed from `nodes`, and empty where there is none.
 */
struct quaff_str quaff_nodes_name(const struct quaff_nodes *nodes, size_t at);

/**
 * The range of the values of a node, by the search of the answer. It is open on both sides where nothing is known, and for nodes that are no answer.
 *
 * A division whose dividend is not negative needs no correction where the host's division rounds towards zero.
 */
struct quaff_range quaff_nodes_range(const struct quaff_nodes *nodes,
                                     uint32_t node);

/**
 * Reads an expression, such as `(i*16 + j)//4`: the grammar of Python, where `//` and `%` round down.
 *
 * `*expr` is the caller's, NULL after an error. A text that is no expression is `QUAFF_STATUS_PARSE`, with the place.
 */
enum quaff_status quaff_expr_parse(struct quaff_str text, struct quaff_expr **expr, struct quaff_error **error);

/**
 * Makes an expression of nodes: the one of number `root`. `names` are the names of variables.
 *
 * `*expr` is the caller's, NULL after an error. What is no node is `QUAFF_STATUS_NODES`, with the number of the node. Takes time in proportion
 * to all nodes.
 */
enum quaff_status quaff_expr_from_nodes(struct quaff_node_span nodes,
                                        struct quaff_str_span names,
                                        uint32_t root,
                                        struct quaff_expr **expr,
                                        struct quaff_error **error);

/**
 * Copies an expression, also one that is borrowed. The copy is the caller's, NULL for NULL. Takes constant time.
 */
struct quaff_expr *quaff_expr_clone(const struct quaff_expr *expr);

/**
 * The text of an expression, which `quaff_expr_parse` reads back. It is borrowed from `expr`.
 *
 * Shared parts are repeated in text. One of more than 16 million bytes is `QUAFF_STATUS_ARGUMENT`: use `quaff_expr_nodes`.
 */
enum quaff_status quaff_expr_text(const struct quaff_expr *expr,
                                  struct quaff_str *text,
                                  struct quaff_error **error);

/**
 * The nodes of an expression, with one root. They are borrowed from `expr`; NULL for NULL.
 */
const struct quaff_nodes *quaff_expr_nodes(const struct quaff_expr *expr);

/**
 * The value of an expression where each variable has a value: `values` has one for each of `names`, in their order.
 *
 * A division by 0, a variable without a value and a result outside of 64 bits are `QUAFF_STATUS_EVAL`.
 */
enum quaff_status quaff_expr_eval(const struct quaff_expr *expr,
                                  struct quaff_str_span names,
                                  struct quaff_int_span values,
                                  int64_t *value,
                                  struct quaff_error **error);

/**
 * Frees an expression that is the caller's. NULL is nothing.
 */
void quaff_expr_free(struct quaff_expr *expr);

/**
 * A domain without variables. It is the caller's.
 */
struct quaff_domain *quaff_domain_new(void);

/**
 * Reads a domain: declarations, separated by commas, such as `n=1..64, i=0..n - 1, x=0..999 step 4, assume i < x`. Both ends of a range are inclusive.
 *
 * `*domain` is the caller's, NULL after an error. A text that cannot be read is `QUAFF_STATUS_DOMAIN`, with the place.
 */
enum quaff_status quaff_domain_parse(struct quaff_str text,
                                     struct quaff_domain **domain,
                                     struct quaff_error **error);

/**
 * Adds what a text says, as `quaff_domain_parse` reads it. After an error nothing has changed.
 */
enum quaff_status quaff_domain_add(struct quaff_domain *domain, struct quaff_str text, struct quaff_error **error);

/**
 * Declares that a variable lies in `lower..upper`, both inclusive. `INT64_MIN` and `INT64_MAX` are open ends.
 */
enum quaff_status quaff_domain_range(struct quaff_domain *domain,
                                     struct quaff_str name,
                                     int64_t lower,
                                     int64_t upper,
                                     struct quaff_error **error);

/**
 * Declares that a variable lies between two expressions, both inclusive. NULL is an open end. The expressions stay the caller's.
 */
enum quaff_status quaff_domain_bounds(struct quaff_domain *domain,
                                      struct quaff_str name,
                                      const struct quaff_expr *lower,
                                      const struct quaff_expr *upper,
                                      struct quaff_error **error);

/**
 * Declares that a variable is `residue` modulo `modulus`, which is at least 1.
 */
enum quaff_status quaff_domain_step(struct quaff_domain *domain,
                                    struct quaff_str name,
                                    int64_t modulus,
                                    int64_t residue,
                                    struct quaff_error **error);

/**
 * Declares a condition that holds at every point. It stays the caller's.
 */
enum quaff_status quaff_domain_assume(struct quaff_domain *domain,
                                      const struct quaff_expr *condition,
                                      struct quaff_error **error);

/**
 * Declares that a variable is fixed for a launch, so that the host can prepare a division by it.
 */
enum quaff_status quaff_domain_uniform(struct quaff_domain *domain, struct quaff_str name, struct quaff_error **error);

/**
 * Declares that a variable has the text `text` in CUDA, such as `rows[i]`.
 */
enum quaff_status quaff_domain_opaque(struct quaff_domain *domain,
                                      struct quaff_str name,
                                      struct quaff_str text,
                                      struct quaff_error **error);

/**
 * Declares that the range of a variable is never empty, whatever the variables in its ends are.
 */
enum quaff_status quaff_domain_nonempty(struct quaff_domain *domain, struct quaff_str name, struct quaff_error **error);

/**
 * Declares that the variables count loops in one another, the outermost first.
 */
enum quaff_status quaff_domain_loop(struct quaff_domain *domain,
                                    struct quaff_str_span names,
                                    struct quaff_error **error);

/**
 * Vouches that no expression divides by 0 in the domain.
 */
enum quaff_status quaff_domain_defined(struct quaff_domain *domain, struct quaff_error **error);

/**
 * Whether all that is said can be true. A contradiction is `QUAFF_STATUS_DOMAIN`. Other calls say so, too.
 */
enum quaff_status quaff_domain_check(const struct quaff_domain *domain, struct quaff_error **error);

/**
 * The text of a domain, which `quaff_domain_parse` reads back where all names are words. It is borrowed from `domain` until something changes, and
 * empty for NULL.
 */
struct quaff_str quaff_domain_text(const struct quaff_domain *domain);

/**
 * Copies a domain. The copy is the caller's, NULL for NULL.
 */
struct quaff_domain *quaff_domain_clone(const struct quaff_domain *domain);

/**
 * Frees a domain. NULL is nothing.
 */
void quaff_domain_free(struct quaff_domain *domain);

/**
 * Settings with the defaults. They are the caller's.
 */
struct quaff_simplifier *quaff_simplifier_new(void);

/**
 * How much work an answer may take: 0 is one short pass, 1 the default, 2 and 3 search four and sixteen times as many forms.
 */
enum quaff_status quaff_simplifier_effort(struct quaff_simplifier *simplifier,
                                          uint8_t effort,
                                          struct quaff_error **error);

/**
 * The machine that answers are for: `sm_80`, `sm_90` (the default), `sm_100` or `plain`, and changes such as `sm_90+mulhi=20`. Its prices are the
 * cost model from here on.
 */
enum quaff_status quaff_simplifier_target(struct quaff_simplifier *simplifier,
                                          struct quaff_str name,
                                          struct quaff_error **error);

/**
 * What answers are chosen by: one of `quaff_cost_model`.
 */
enum quaff_status quaff_simplifier_cost_model(struct quaff_simplifier *simplifier,
                                              uint32_t model,
                                              struct quaff_error **error);

/**
 * Frees settings. NULL is nothing.
 */
void quaff_simplifier_free(struct quaff_simplifier *simplifier);

/**
 * The cheapest found expressions with the same values at every point of the domain. Several are those of one kernel: what they share is counted once.
 *
 * `*answer` is the caller's, NULL after an error. What cannot be simplified is `QUAFF_STATUS_SIMPLIFY`, with the place in the text or the nodes of
 * the expression.
 */
enum quaff_status quaff_simplify(const struct quaff_simplifier *simplifier,
                                 struct quaff_expr_span exprs,
                                 const struct quaff_domain *domain,
                                 struct quaff_answer **answer,
                                 struct quaff_error **error);

/**
 * `quaff_simplify` of the nodes of numbers `roots`, without a handle for each.
 */
enum quaff_status quaff_simplify_nodes(const struct quaff_simplifier *simplifier,
                                       struct quaff_node_span nodes,
                                       struct quaff_str_span names,
                                       struct quaff_id_span roots,
                                       const struct quaff_domain *domain,
                                       struct quaff_answer **answer,
                                       struct quaff_error **error);

/**
 * The number of expressions: that of the call. 0 for NULL.
 */
size_t quaff_answer_count(const struct quaff_answer *answer);

/**
 * The expression of number `at`, in the order of the call. It is borrowed from `answer`, and NULL where there is none.
 */
const struct quaff_expr *quaff_answer_expr(const struct quaff_answer *answer, size_t at);

/**
 * The nodes of all expressions, with a root for each, and their ranges. They are borrowed from `answer`, and NULL for NULL.
 */
const struct quaff_nodes *quaff_answer_nodes(const struct quaff_answer *answer);

/**
 * What the answer costs, in simple 32-bit instructions. 0 for NULL.
 */
double quaff_answer_cost(const struct quaff_answer *answer);

/**
 * What the expressions of the call cost as they were written. 0 for NULL.
 */
double quaff_answer_input_cost(const struct quaff_answer *answer);

/**
 * What no form costs less than that the last search found. 0 where nothing is known, and for NULL.
 */
double quaff_answer_least_cost(const struct quaff_answer *answer);

/**
 * Whether the search ended because nothing was left to find, and not at a limit. False for NULL.
 */
bool quaff_answer_saturated(const struct quaff_answer *answer);

/**
 * The text of all expressions in `language`, one of `quaff_language`.
 *
 * `*text` is the caller's, NULL after an error. A value that may leave 64 bits is `QUAFF_STATUS_LOWER`.
 */
enum quaff_status quaff_answer_text(const struct quaff_answer *answer,
                                    uint32_t language,
                                    struct quaff_text **text,
                                    struct quaff_error **error);

/**
 * Frees an answer. NULL is nothing.
 */
void quaff_answer_free(struct quaff_answer *answer);

/**
 * The body of a function: all statements, and `return` with the result. Of several results, C and CUDA assign to `out[0]`, `out[1]` and so on. Empty
 * for NULL.
 */
struct quaff_str quaff_text_body(const struct quaff_text *text);

/**
 * Definitions, parameters as a comment, and the body. Empty for NULL.
 */
struct quaff_str quaff_text_whole(const struct quaff_text *text);

/**
 * Definitions that the text needs once in a file. Empty where it needs none, and for NULL.
 */
struct quaff_str quaff_text_prelude(const struct quaff_text *text);

/**
 * Definitions for the host, which prepares divisors. Empty where it prepares none, and for NULL.
 */
struct quaff_str quaff_text_host(const struct quaff_text *text);

/**
 * The number of statements before the results. 0 for NULL.
 */
size_t quaff_text_statement_count(const struct quaff_text *text);

/**
 * The statement of number `at`, complete. Empty where there is none.
 */
struct quaff_str quaff_text_statement(const struct quaff_text *text, size_t at);

/**
 * The number of results: that of the expressions. 0 for NULL.
 */
size_t quaff_text_result_count(const struct quaff_text *text);

/**
 * The result of number `at`. Empty where there is none.
 */
struct quaff_result quaff_text_result(const struct quaff_text *text, size_t at);

/**
 * The number of parameters, without prepared divisors. 0 for NULL.
 */
size_t quaff_text_parameter_count(const struct quaff_text *text);

/**
 * The parameter of number `at`. Empty where there is none.
 */
struct quaff_parameter quaff_text_parameter(const struct quaff_text *text, size_t at);

/**
 * The number of prepared divisors, which are parameters, too. 0 for NULL.
 */
size_t quaff_text_divisor_count(const struct quaff_text *text);

/**
 * The prepared divisor of number `at`. Empty where there is none.
 */
struct quaff_divisor quaff_text_divisor(const struct quaff_text *text, size_t at);

/**
 * The whole text as a function `name`: definitions, parameters with their types, and what the host calls to prepare divisors.
 *
 * `*function` is borrowed from `text` until the next call of this function. A name that the language does not take is `QUAFF_STATUS_ARGUMENT`.
 */
enum quaff_status quaff_text_function(struct quaff_text *text,
                                      struct quaff_str name,
                                      struct quaff_str *function,
                                      struct quaff_error **error);

/**
 * Frees a text. NULL is nothing.
 */
void quaff_text_free(struct quaff_text *text);

/**
 * What is proved in a domain. Nothing is computed before the first question. `domain` may be changed or freed afterwards.
 *
 * `*facts` is the caller's, NULL after an error.
 */
enum quaff_status quaff_facts_new(const struct quaff_simplifier *simplifier,
                                  const struct quaff_domain *domain,
                                  struct quaff_facts **facts,
                                  struct quaff_error **error);

/**
 * The range that all values of an expression lie in. An end is open where none is found.
 */
enum quaff_status quaff_facts_bounds(struct quaff_facts *facts,
                                     const struct quaff_expr *expr,
                                     struct quaff_range *range,
                                     struct quaff_error **error);

/**
 * A congruence that all values of an expression satisfy. Its modulus is 1 where none is found.
 */
enum quaff_status quaff_facts_congruence(struct quaff_facts *facts,
                                         const struct quaff_expr *expr,
                                         struct quaff_congruence *congruence,
                                         struct quaff_error **error);

/**
 * Whether a condition holds at every point (`*holds` is true) or at none (false). `QUAFF_STATUS_NOT_PROVED` where neither is proved.
 */
enum quaff_status quaff_facts_prove(struct quaff_facts *facts,
                                    const struct quaff_expr *condition,
                                    bool *holds,
                                    struct quaff_error **error);

/**
 * Whether two expressions are equal at every point (`*holds` is true) or at none (false). `QUAFF_STATUS_NOT_PROVED` where neither is proved.
 */
enum quaff_status quaff_facts_equal(struct quaff_facts *facts,
                                    const struct quaff_expr *a,
                                    const struct quaff_expr *b,
                                    bool *holds,
                                    struct quaff_error **error);

/**
 * Begins a level. Conditions and variables that are added hold until the level is ended by `quaff_facts_pop`.
 */
enum quaff_status quaff_facts_push(struct quaff_facts *facts, struct quaff_error **error);

/**
 * Ends the level that was begun last. Without one it is `QUAFF_STATUS_ARGUMENT`.
 */
enum quaff_status quaff_facts_pop(struct quaff_facts *facts, struct quaff_error **error);

/**
 * Assumes a condition until the level ends. It stays the caller's. One that contradicts the others is an error of the questions that are connected with it.
 */
enum quaff_status quaff_facts_assume(struct quaff_facts *facts,
                                     const struct quaff_expr *condition,
                                     struct quaff_error **error);

/**
 * Adds the variables and conditions of a domain until the level ends. It may be changed or freed afterwards.
 */
enum quaff_status quaff_facts_add(struct quaff_facts *facts,
                                  const struct quaff_domain *domain,
                                  struct quaff_error **error);

/**
 * Frees what is proved. NULL is nothing.
 */
void quaff_facts_free(struct quaff_facts *facts);

/**
 * What is proved of `index` along the variable `lane`, whose range begins at 0, and the widest vector of up to `most` lanes.
 *
 * `mask` is the condition of the access, or NULL. A lane that is no such variable is `QUAFF_STATUS_ASK`.
 */
enum quaff_status quaff_ask_lanes(const struct quaff_simplifier *simplifier,
                                  const struct quaff_expr *index,
                                  const struct quaff_expr *mask,
                                  struct quaff_str lane,
                                  int64_t most,
                                  const struct quaff_domain *domain,
                                  struct quaff_lanes *lanes,
                                  struct quaff_error **error);

/**
 * Splits an index by sets of variables, such as those that are uniform in a warp and those of its lanes. Variables in no set may be in all parts.
 *
 * `names` has the names of all sets one after another, and `sizes` the number of names of each set. `*parts` is the caller's, NULL after an error.
 * A variable in two sets is `QUAFF_STATUS_ASK`. Where terms do not come apart, the status is `QUAFF_STATUS_OK`, and they are mixed ones.
 */
enum quaff_status quaff_ask_parts(const struct quaff_simplifier *simplifier,
                                  const struct quaff_expr *index,
                                  struct quaff_str_span names,
                                  struct quaff_int_span sizes,
                                  const struct quaff_domain *domain,
                                  struct quaff_parts **parts,
                                  struct quaff_error **error);

/**
 * The number of parts: that of the sets. 0 for NULL.
 */
size_t quaff_parts_count(const struct quaff_parts *parts);

/**
 * The part of the set of number `at`. It is borrowed from `parts`, and NULL where there is none.
 */
const struct quaff_expr *quaff_parts_part(const struct quaff_parts *parts, size_t at);

/**
 * The terms without variables of any set. It is borrowed from `parts`, and NULL for NULL.
 */
const struct quaff_expr *quaff_parts_shared(const struct quaff_parts *parts);

/**
 * The number of terms that were not proved to come apart. 0 for NULL.
 */
size_t quaff_parts_mixed_count(const struct quaff_parts *parts);

/**
 * The term of number `at` of those that were not proved to come apart. It is borrowed from `parts`, and NULL where there is none.
 */
const struct quaff_expr *quaff_parts_mixed(const struct quaff_parts *parts,
                                           size_t at);

/**
 * Frees parts. NULL is nothing.
 */
void quaff_parts_free(struct quaff_parts *parts);

/**
 * An offset as a base and an immediate operand of `lower..upper`, both inclusive, whose sum it is.
 *
 * `*base` is the caller's. `QUAFF_STATUS_NOT_PROVED`, with NULL, where no base of 64 bits is found.
 */
enum quaff_status quaff_ask_base_and_immediate(const struct quaff_expr *offset,
                                               int64_t lower,
                                               int64_t upper,
                                               struct quaff_expr **base,
                                               int64_t *immediate,
                                               struct quaff_error **error);

/**
 * An index as a strided access along the variables `axes`, whose ranges begin at 0.
 *
 * `*strides` is the caller's, NULL after an error. With `QUAFF_STATUS_NOT_PROVED` it has no dimensions, and
 * `quaff_strides_not_strided` is the term at fault.
 */
enum quaff_status quaff_ask_strides(const struct quaff_simplifier *simplifier,
                                    const struct quaff_expr *index,
                                    struct quaff_str_span axes,
                                    const struct quaff_domain *domain,
                                    struct quaff_strides **strides,
                                    struct quaff_error **error);

/**
 * The number of dimensions. 0 for NULL.
 */
size_t quaff_strides_count(const struct quaff_strides *strides);

/**
 * The dimension of number `at`: those of all axes in their order, for each axis the slowest one first. Empty, with a `stride` that is NULL, where
 * there is none.
 */
struct quaff_dimension quaff_strides_dimension(const struct quaff_strides *strides,
                                               size_t at);

/**
 * The index where all coordinates are 0. It is borrowed from `strides`, and NULL for NULL and where no strides are proved.
 */
const struct quaff_expr *quaff_strides_offset(const struct quaff_strides *strides);

/**
 * The term of the index for which no strides are proved. It is borrowed from `strides`, and NULL where there is none.
 */
const struct quaff_expr *quaff_strides_not_strided(const struct quaff_strides *strides);

/**
 * Frees strides. NULL is nothing.
 */
void quaff_strides_free(struct quaff_strides *strides);

/**
 * Whether different values of the variables `inputs` have different outputs, whatever the other variables are.
 *
 * With `QUAFF_STATUS_OK` they have where `*witness` is NULL. Otherwise it is the caller's, and has two points of the same outputs.
 * `QUAFF_STATUS_NOT_PROVED` where neither is proved.
 */
enum quaff_status quaff_ask_injective(const struct quaff_simplifier *simplifier,
                                      struct quaff_expr_span outputs,
                                      struct quaff_str_span inputs,
                                      const struct quaff_domain *domain,
                                      struct quaff_witness **witness,
                                      struct quaff_error **error);

/**
 * Whether each place of `0..extent` of each output is an output, whatever the variables are that are no inputs. Each output has an extent.
 *
 * With `QUAFF_STATUS_OK` it is so where `*witness` is NULL. Otherwise it is the caller's, and has one point without names: a place that is no
 * output. `QUAFF_STATUS_NOT_PROVED` where neither is proved.
 */
enum quaff_status quaff_ask_surjective(const struct quaff_simplifier *simplifier,
                                       struct quaff_expr_span outputs,
                                       struct quaff_expr_span extents,
                                       struct quaff_str_span inputs,
                                       const struct quaff_domain *domain,
                                       struct quaff_witness **witness,
                                       struct quaff_error **error);

/**
 * Whether two accesses have no address in common, with values of their own for the variables `inputs`.
 *
 * With `QUAFF_STATUS_OK` they have none where `*witness` is NULL. Otherwise it is the caller's, and has a point of `a` and one of `b` with the
 * same address. `QUAFF_STATUS_NOT_PROVED` where neither is proved.
 */
enum quaff_status quaff_ask_disjoint(const struct quaff_simplifier *simplifier,
                                     const struct quaff_expr *a,
                                     const struct quaff_expr *b,
                                     struct quaff_str_span inputs,
                                     const struct quaff_domain *domain,
                                     struct quaff_witness **witness,
                                     struct quaff_error **error);

/**
 * The number of points. 0 for NULL.
 */
size_t quaff_witness_count(const struct quaff_witness *witness);

/**
 * The number of values of a point. 0 where there is none.
 */
size_t quaff_witness_size(const struct quaff_witness *witness, size_t point);

/**
 * The variable of a value. It is borrowed from `witness`, and empty for an output and where there is none.
 */
struct quaff_str quaff_witness_name(const struct quaff_witness *witness, size_t point, size_t at);

/**
 * A value of a point. 0 where there is none.
 */
int64_t quaff_witness_value(const struct quaff_witness *witness, size_t point, size_t at);

/**
 * Frees a witness. NULL is nothing.
 */
void quaff_witness_free(struct quaff_witness *witness);

/**
 * The inverse of a map: each input by the outputs, which are variables called `names`, in `0..extent` each.
 *
 * `*inverse` is the caller's, NULL after an error. `QUAFF_STATUS_NOT_PROVED`, with NULL, where no inverse is proved.
 */
enum quaff_status quaff_ask_inverse(const struct quaff_simplifier *simplifier,
                                    struct quaff_expr_span outputs,
                                    struct quaff_str_span names,
                                    struct quaff_expr_span extents,
                                    struct quaff_str_span inputs,
                                    const struct quaff_domain *domain,
                                    struct quaff_inverse **inverse,
                                    struct quaff_error **error);

/**
 * The number of inputs. 0 for NULL.
 */
size_t quaff_inverse_count(const struct quaff_inverse *inverse);

/**
 * The input of number `at` by the outputs. It is borrowed from `inverse`, and NULL where there is none.
 */
const struct quaff_expr *quaff_inverse_input(const struct quaff_inverse *inverse, size_t at);

/**
 * The condition that a place is an output. It is borrowed from `inverse`, and NULL where each place is one.
 */
const struct quaff_expr *quaff_inverse_inside(const struct quaff_inverse *inverse);

/**
 * Frees an inverse. NULL is nothing.
 */
void quaff_inverse_free(struct quaff_inverse *inverse);

/**
 * The weakest simple conditions on the variables `sizes` under which `condition` is proved to hold for all values of the other variables.
 *
 * `*when` is the caller's, NULL after an error. One alternative without conditions says that it always holds. `QUAFF_STATUS_NOT_PROVED`, with NULL,
 * where nothing is found.
 */
enum quaff_status quaff_ask_when(const struct quaff_simplifier *simplifier,
                                 const struct quaff_expr *condition,
                                 struct quaff_str_span sizes,
                                 const struct quaff_domain *domain,
                                 struct quaff_when **when,
                                 struct quaff_error **error);

/**
 * The weakest simple conditions on the variables `sizes` under which one access covers each `width` neighbouring lanes of `index`. They are values of the
 * variable `lane`, whose range begins at 0. `mask` is the condition of the access, or NULL.
 *
 * The answer is that of `quaff_ask_when`. A width that does not divide the lanes is `QUAFF_STATUS_ASK`.
 */
enum quaff_status quaff_ask_when_vector(const struct quaff_simplifier *simplifier,
                                        const struct quaff_expr *index,
                                        const struct quaff_expr *mask,
                                        struct quaff_str lane,
                                        int64_t width,
                                        struct quaff_str_span sizes,
                                        const struct quaff_domain *domain,
                                        struct quaff_when **when,
                                        struct quaff_error **error);

/**
 * The weakest simple conditions on the variables `sizes` under which two accesses have no address in common. The variables
 * `inputs` have values of their own in each of them.
 *
 * The answer is that of `quaff_ask_when`.
 */
enum quaff_status quaff_ask_when_disjoint(const struct quaff_simplifier *simplifier,
                                          const struct quaff_expr *a,
                                          const struct quaff_expr *b,
                                          struct quaff_str_span inputs,
                                          struct quaff_str_span sizes,
                                          const struct quaff_domain *domain,
                                          struct quaff_when **when,
                                          struct quaff_error **error);

/**
 * The number of alternatives. 0 for NULL.
 */
size_t quaff_when_count(const struct quaff_when *when);

/**
 * The number of conditions of an alternative, which suffice together. 0 where there is none.
 */
size_t quaff_when_condition_count(const struct quaff_when *when, size_t alternative);

/**
 * A condition of an alternative. It is borrowed from `when`, and NULL where there is none.
 */
const struct quaff_expr *quaff_when_condition(const struct quaff_when *when, size_t alternative, size_t at);

/**
 * All conditions of an alternative as one, and 1 where there are none. It is borrowed from `when`, and NULL where there is no such alternative.
 */
const struct quaff_expr *quaff_when_test(const struct quaff_when *when,
                                         size_t alternative);

/**
 * The test of the host in `language`: the name of a dialect, such as `c`, `cuda` or `python`.
 *
 * `*text` is borrowed from `when` until the next call of this function. A number that no alternative has and a name of no dialect are
 * `QUAFF_STATUS_ARGUMENT`. A dialect without a text for the test is `QUAFF_STATUS_LOWER`.
 */
enum quaff_status quaff_when_code(struct quaff_when *when,
                                  size_t alternative,
                                  struct quaff_str language,
                                  struct quaff_str *text,
                                  struct quaff_error **error);

/**
 * Whether the alternative is necessary. Not decided where there is none.
 */
enum quaff_necessity quaff_when_necessity(const struct quaff_when *when, size_t alternative);

/**
 * Frees conditions. NULL is nothing.
 */
void quaff_when_free(struct quaff_when *when);

/**
 * The values of an index over all points of the domain: their ends, their stride and holes.
 */
enum quaff_status quaff_ask_image(const struct quaff_simplifier *simplifier,
                                  const struct quaff_expr *index,
                                  const struct quaff_domain *domain,
                                  struct quaff_image *image,
                                  struct quaff_error **error);

/**
 * The range of each variable that the domain with its conditions leaves: a box around all points, and the residue of each variable.
 *
 * `*ranges` is the caller's, NULL after an error. It has a range for each of `variables`, in their order.
 */
enum quaff_status quaff_ask_ranges(const struct quaff_simplifier *simplifier,
                                   struct quaff_str_span variables,
                                   const struct quaff_domain *domain,
                                   struct quaff_ranges **ranges,
                                   struct quaff_error **error);

/**
 * The number of variables. 0 for NULL.
 */
size_t quaff_ranges_count(const struct quaff_ranges *ranges);

/**
 * The range of the variable of number `at`. Its name is borrowed from `ranges`. Without a name where there is none.
 */
struct quaff_variable_range quaff_ranges_variable(const struct quaff_ranges *ranges, size_t at);

/**
 * Frees ranges. NULL is nothing.
 */
void quaff_ranges_free(struct quaff_ranges *ranges);

/**
 * Expressions with counters in the place of those `variables` whose values are a number of steps apart. A counter begins at 0 where the least value is known.
 *
 * `*rescaled` is the caller's, NULL after an error. Its domain has the ranges of the counters and of all other variables.
 */
enum quaff_status quaff_ask_rescale(const struct quaff_simplifier *simplifier,
                                    struct quaff_expr_span exprs,
                                    struct quaff_str_span variables,
                                    const struct quaff_domain *domain,
                                    struct quaff_rescaled **rescaled,
                                    struct quaff_error **error);

/**
 * The number of expressions: that of the call. 0 for NULL.
 */
size_t quaff_rescaled_count(const struct quaff_rescaled *rescaled);

/**
 * The expression of number `at` in its simplest form. It is borrowed from `rescaled`, and NULL where there is none.
 */
const struct quaff_expr *quaff_rescaled_expr(const struct quaff_rescaled *rescaled, size_t at);

/**
 * What is known of the counters and of all other variables. It is borrowed from `rescaled`, and NULL for NULL.
 */
const struct quaff_domain *quaff_rescaled_domain(const struct quaff_rescaled *rescaled);

/**
 * The number of variables that are counted. 0 for NULL.
 */
size_t quaff_rescaled_counted_count(const struct quaff_rescaled *rescaled);

/**
 * The counted variable of number `at`. Empty, with pointers that are NULL, where there is none.
 */
struct quaff_counted quaff_rescaled_counted(const struct quaff_rescaled *rescaled, size_t at);

/**
 * Frees rescaled expressions. NULL is nothing.
 */
void quaff_rescaled_free(struct quaff_rescaled *rescaled);

/**
 * Each output as a base and a sum of iterators of the variables `inputs`, whose ranges begin at 0.
 *
 * `*iters` is the caller's, NULL after an error. With `QUAFF_STATUS_NOT_PROVED` it has no outputs, and `quaff_iters_no_iterator` is the part at fault.
 */
enum quaff_status quaff_ask_iters(const struct quaff_simplifier *simplifier,
                                  struct quaff_expr_span outputs,
                                  struct quaff_str_span inputs,
                                  const struct quaff_domain *domain,
                                  struct quaff_iters **iters,
                                  struct quaff_error **error);

/**
 * The number of outputs. 0 for NULL and where they are no sums of iterators.
 */
size_t quaff_iters_count(const struct quaff_iters *iters);

/**
 * The number of iterators of an output. 0 where there is none.
 */
size_t quaff_iters_iterator_count(const struct quaff_iters *iters, size_t output);

/**
 * The iterator of number `at` of an output, the slowest one first. All pointers are NULL where there is none.
 */
struct quaff_iterator quaff_iters_iterator(const struct quaff_iters *iters, size_t output, size_t at);

/**
 * What is added to the iterators of an output. It is borrowed from `iters`, and NULL where there is none.
 */
const struct quaff_expr *quaff_iters_base(const struct quaff_iters *iters, size_t output);

/**
 * The number of quotients with padding. 0 for NULL.
 */
size_t quaff_iters_padding_count(const struct quaff_iters *iters);

/**
 * The padding of number `at`. All pointers are NULL where there is none.
 */
struct quaff_padding quaff_iters_padding(const struct quaff_iters *iters, size_t at);

/**
 * Whether inputs and digits determine each other, and the digits take all values together. Not decided for NULL.
 */
enum quaff_decision quaff_iters_bijective(const struct quaff_iters *iters);

/**
 * The part of an output that is no iterator, or depends on another part. It is borrowed from `iters`, and NULL where there is none.
 */
const struct quaff_expr *quaff_iters_no_iterator(const struct quaff_iters *iters);

/**
 * The number of the first output that is no sum of iterators. 0 where there is none.
 */
size_t quaff_iters_no_iterator_output(const struct quaff_iters *iters);

/**
 * Frees sums of iterators. NULL is nothing.
 */
void quaff_iters_free(struct quaff_iters *iters);

/**
 * Iterators as one iterator, the first one slowest: `i` and `j` with the extents `m` and `n` are `i*n + j` with `m*n`.
 *
 * `*axes` is the caller's, NULL after an error. It has one iterator.
 */
enum quaff_status quaff_fuse(struct quaff_expr_span iterators,
                             struct quaff_expr_span extents,
                             struct quaff_axes **fused,
                             struct quaff_error **error);

/**
 * An iterator as two, the faster one of `factor` values: `iterator//factor` and `iterator%factor`. The extent of the slower one is rounded up.
 *
 * `*axes` is the caller's, NULL after an error. It has two iterators. The factor is positive.
 */
enum quaff_status quaff_split(const struct quaff_expr *iterator,
                              const struct quaff_expr *extent,
                              const struct quaff_expr *factor,
                              struct quaff_axes **parts,
                              struct quaff_error **error);

/**
 * The number of iterators. 0 for NULL.
 */
size_t quaff_axes_count(const struct quaff_axes *axes);

/**
 * The iterator of number `at`. Both pointers are NULL where there is none.
 */
struct quaff_axis quaff_axes_axis(const struct quaff_axes *axes, size_t at);

/**
 * Frees iterators. NULL is nothing.
 */
void quaff_axes_free(struct quaff_axes *axes);

/**
 * Divides a map of the variables `inputs` into one of the inputs `inner` and one of all others. Each output is `outer * stride + inner`.
 *
 * `*subspace` is the caller's, NULL after an error. With `QUAFF_STATUS_NOT_PROVED` it has no outputs, and `quaff_subspace_mixed` is the part at fault.
 */
enum quaff_status quaff_ask_subspace(const struct quaff_simplifier *simplifier,
                                     struct quaff_expr_span outputs,
                                     struct quaff_str_span inputs,
                                     struct quaff_str_span inner,
                                     const struct quaff_domain *domain,
                                     struct quaff_subspace **subspace,
                                     struct quaff_error **error);

/**
 * The number of outputs. 0 for NULL and where the map does not come apart.
 */
size_t quaff_subspace_count(const struct quaff_subspace *subspace);

/**
 * The output of number `at`. All pointers are NULL where there is none.
 */
struct quaff_division quaff_subspace_division(const struct quaff_subspace *subspace, size_t at);

/**
 * The number of conditions of the outer inputs. 0 for NULL.
 */
size_t quaff_subspace_outer_condition_count(const struct quaff_subspace *subspace);

/**
 * What is assumed of the outer inputs. It is borrowed from `subspace`, and NULL where there is none.
 */
const struct quaff_expr *quaff_subspace_outer_condition(const struct quaff_subspace *subspace, size_t at);

/**
 * The number of conditions of the inner inputs. 0 for NULL.
 */
size_t quaff_subspace_inner_condition_count(const struct quaff_subspace *subspace);

/**
 * What is assumed of the inner inputs. It is borrowed from `subspace`, and NULL where there is none.
 */
const struct quaff_expr *quaff_subspace_inner_condition(const struct quaff_subspace *subspace, size_t at);

/**
 * An output or a condition, or a part of it, that does not come apart. It is borrowed from `subspace`, and NULL where there is none.
 */
const struct quaff_expr *quaff_subspace_mixed(const struct quaff_subspace *subspace);

/**
 * Frees a divided map. NULL is nothing.
 */
void quaff_subspace_free(struct quaff_subspace *subspace);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* QUAFF_H */

/** A text that ends with a 0, without it. NULL is no text. */
static inline quaff_str quaff_cstr(const char *text) {
  quaff_str str;
  str.data = text;
  str.size = text ? strlen(text) : 0;
  return str;
}
