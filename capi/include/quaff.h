/* quaff: the cheapest division-free form of integer index expressions, for C and C++.
 *
 * Ownership: a returned `const` pointer is borrowed from an argument of the call, and valid as long as this argument.
 * The caller owns a returned pointer without `const`. The function `..._free` of its type frees it. Texts are borrowed.
 *
 * Errors: a call that succeeds writes its result. After an error, the result is NULL, 0 or empty. `*error` is NULL, or
 * an error that the caller owns. `error` may be NULL. Other pointers must not be NULL unless the function allows it.
 *
 * Threads: there is no global state. Any number of threads may use a handle at once if all calls take it as `const`.
 * During a call that takes it without `const`, no other call may use it.
 *
 * cbindgen generates this file from capi/src. */

#ifndef QUAFF_H
#define QUAFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * The status of a call. All but the first two are errors.
 */
typedef enum quaff_status {
  /**
   * The call succeeded.
   */
  QUAFF_STATUS_OK = 0,
  /**
   * Neither a claim nor its negation is proved. This is no error, so there is no `quaff_error`.
   */
  QUAFF_STATUS_NOT_PROVED = 1,
  /**
   * An argument that must not be NULL is NULL.
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
   * Declarations of variables cannot be read, or contradict each other.
   */
  QUAFF_STATUS_DOMAIN = 5,
  /**
   * Nodes form no expression.
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
   * A question has no answer, because a name is unknown or is given twice.
   */
  QUAFF_STATUS_ASK = 9,
  /**
   * An argument is outside of the accepted range.
   */
  QUAFF_STATUS_ARGUMENT = 10,
  /**
   * An expression has no value at a point.
   */
  QUAFF_STATUS_EVAL = 11,
  /**
   * A bug in quaff, which was caught. All handles remain usable, and must still be freed.
   */
  QUAFF_STATUS_INTERNAL = 12,
} quaff_status;

/**
 * The unit of the numbers in a `quaff_place`.
 */
typedef enum quaff_place_kind {
  /**
   * No place is known.
   */
  QUAFF_PLACE_KIND_NONE = 0,
  /**
   * Bytes of a text. The text is an argument of this call, or the text from which an expression was parsed.
   */
  QUAFF_PLACE_KIND_TEXT = 1,
  /**
   * Nodes of a span that was given to this call, or to the call that made an expression.
   */
  QUAFF_PLACE_KIND_NODE = 2,
  /**
   * Entries of the span of roots.
   */
  QUAFF_PLACE_KIND_ROOT = 3,
} quaff_place_kind;

/**
 * Whether a condition is necessary.
 */
typedef enum quaff_necessity {
  /**
   * It is not decided whether the condition is necessary.
   */
  QUAFF_NECESSITY_UNKNOWN = 0,
  /**
   * The condition is necessary: the claim fails for all other sizes.
   */
  QUAFF_NECESSITY_NECESSARY = 1,
  /**
   * The condition is only sufficient: the claim also holds for some other sizes.
   */
  QUAFF_NECESSITY_SUFFICIENT = 2,
} quaff_necessity;

/**
 * Whether a claim holds.
 */
typedef enum quaff_decision {
  /**
   * The claim is not decided.
   */
  QUAFF_DECISION_UNKNOWN = 0,
  /**
   * The claim holds.
   */
  QUAFF_DECISION_YES = 1,
  /**
   * The claim does not hold.
   */
  QUAFF_DECISION_NO = 2,
} quaff_decision;

/**
 * The operators of `quaff_node`. A comparison is 1 or 0. Arithmetic is on integers without bounds.
 */
typedef enum quaff_op {
  /**
   * The integer `value`.
   */
  QUAFF_OP_CONST = 0,
  /**
   * The variable with name number `value`.
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
   * 1 if both operands are not 0. `b` is not evaluated if `a` is 0.
   */
  QUAFF_OP_AND = 16,
  /**
   * 1 if at least one operand is not 0. `b` is not evaluated if `a` is not 0.
   */
  QUAFF_OP_OR = 17,
  /**
   * 1 if `a` is 0.
   */
  QUAFF_OP_NOT = 18,
  /**
   * `b` if `a` is not 0, else `c`. The other operand is not evaluated.
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
 * The cost by which answers are chosen.
 */
typedef enum quaff_cost_model {
  /**
   * The instructions of the division-free text for the target. This is the default.
   */
  QUAFF_COST_MODEL_GPU = 0,
  /**
   * The instructions of a host whose division rounds towards zero. A division with a possibly negative dividend
   * costs more, because it needs a correction.
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
 * Iterators with their extents, the slowest iterator first. They are freed by `quaff_axes_free`.
 */
typedef struct quaff_axes quaff_axes;

/**
 * Facts about variables. A function that takes a pointer without `const` changes the domain. During such a call,
 * nothing else may use the domain. Otherwise any number of threads may use it at once. It is freed by
 * `quaff_domain_free`.
 */
typedef struct quaff_domain quaff_domain;

/**
 * An error: a status, a message, and the place. It is freed by `quaff_error_free`.
 */
typedef struct quaff_error quaff_error;

/**
 * An expression. It never changes, so any number of threads may use it at once. If the pointer to it is not `const`,
 * it must be freed by `quaff_expr_free`.
 */
typedef struct quaff_expr quaff_expr;

/**
 * A prover of facts in one domain. Questions change its memory, so only one thread may use it at a time. It is freed
 * by `quaff_facts_free`.
 */
typedef struct quaff_facts quaff_facts;

/**
 * The inverse of a map. It is freed by `quaff_inverse_free`.
 */
typedef struct quaff_inverse quaff_inverse;

/**
 * A map as sums of iterators, or the part that is no sum. It is freed by `quaff_iters_free`.
 */
typedef struct quaff_iters quaff_iters;

/**
 * The nodes of expressions, with their roots, names and ranges. Each distinct part is one node. The nodes are borrowed
 * from the handle that returned them.
 */
typedef struct quaff_nodes quaff_nodes;

/**
 * An index as a sum: one part for each set of variables, one part without any of these variables, and mixed terms. It
 * is freed by `quaff_parts_free`.
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
 * The settings of calls. If a function takes a `const quaff_simplifier *`, NULL means the default settings, and any
 * number of threads may use the settings at once. They are freed by `quaff_simplifier_free`.
 */
typedef struct quaff_simplifier quaff_simplifier;

/**
 * The shape and the strides of an index. It is freed by `quaff_strides_free`.
 */
typedef struct quaff_strides quaff_strides;

/**
 * A map divided into an outer and an inner map, or the part that cannot be divided. It is freed by
 * `quaff_subspace_free`.
 */
typedef struct quaff_subspace quaff_subspace;

/**
 * Program text in pieces. It is freed by `quaff_text_free`. All texts that its functions return are borrowed from it.
 */
typedef struct quaff_text quaff_text;

/**
 * Conditions on sizes as alternatives, each of which suffices. They are freed by `quaff_when_free`.
 */
typedef struct quaff_when quaff_when;

/**
 * Points that disprove a claim. They are freed by `quaff_witness_free`.
 */
typedef struct quaff_witness quaff_witness;

/**
 * UTF-8 text that is borrowed from its owner. A text that is passed to quaff need not end with a 0. A text that quaff
 * returns has a 0 after it.
 */
typedef struct quaff_str {
  /**
   * The first byte. It may be NULL if `size` is 0.
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
   * The unit of `begin` and `end`.
   */
  enum quaff_place_kind kind;
  /**
   * The number of the input, counted from 0, if a call takes several expressions or names. Otherwise 0.
   */
  size_t input;
  /**
   * The first byte, node or root.
   */
  size_t begin;
  /**
   * The position after the last byte, node or root.
   */
  size_t end;
} quaff_place;

/**
 * One node of an expression. Its operands are the numbers of earlier nodes.
 */
typedef struct quaff_node {
  /**
   * One of `quaff_op`.
   */
  uint32_t op;
  /**
   * The operands. Superfluous operands are ignored, and quaff writes them as 0.
   */
  uint32_t operands[3];
  /**
   * The value of a constant, or the number of the name of a variable. Other nodes ignore it, and quaff writes it as
   * 0.
   */
  int64_t value;
} quaff_node;

/**
 * Nodes of expressions, operands before their users.
 */
typedef struct quaff_node_span {
  /**
   * The first node. It may be NULL if `size` is 0.
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
   * The first number. It may be NULL if `size` is 0.
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
   * The least integer.
   */
  int64_t lower;
  /**
   * The greatest integer.
   */
  int64_t upper;
} quaff_range;

/**
 * Texts, such as names of variables.
 */
typedef struct quaff_str_span {
  /**
   * The first text. It may be NULL if `size` is 0.
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
   * The first integer. It may be NULL if `size` is 0.
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
   * The first pointer. It may be NULL if `size` is 0.
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
   * An expression over parameters and over names that statements define.
   */
  struct quaff_str text;
  /**
   * The type of the value, such as `int`. It is empty if the language has no types.
   */
  struct quaff_str type_name;
} quaff_result;

/**
 * A parameter of the function whose body is the text.
 */
typedef struct quaff_parameter {
  /**
   * The name of the parameter in the text.
   */
  struct quaff_str name;
  /**
   * The type that the text relies on, such as `int`. It is empty if the language has no types.
   */
  struct quaff_str type_name;
  /**
   * The name of the variable in the expressions. The parameter has another name if the language does not accept the
   * name of the variable.
   */
  struct quaff_str variable;
} quaff_parameter;

/**
 * A divisor that the host prepares: a parameter of type `quaff_fastdivmod_t`.
 */
typedef struct quaff_divisor {
  /**
   * The name of the parameter in the text.
   */
  struct quaff_str name;
  /**
   * The expression of the divisor.
   */
  struct quaff_str divisor;
  /**
   * The expression with which the host computes the parameter.
   */
  struct quaff_str setup;
} quaff_divisor;

/**
 * The integers that are `residue` modulo `modulus`. For modulus 1 these are all integers, and for modulus 0 only the
 * residue.
 */
typedef struct quaff_congruence {
  /**
   * The remainder.
   */
  int64_t residue;
  /**
   * The modulus.
   */
  int64_t modulus;
} quaff_congruence;

/**
 * Facts about an index along a lane variable.
 */
typedef struct quaff_lanes {
  /**
   * The number of lanes.
   */
  int64_t count;
  /**
   * The size of groups of lanes in which the index grows by 1 from lane to lane.
   */
  int64_t contiguity;
  /**
   * The size of groups of lanes in which the index is the same.
   */
  int64_t constancy;
  /**
   * A number that divides the first value of each contiguous group. It is 0 if that value is always 0.
   */
  int64_t divisibility;
  /**
   * The size of groups of lanes in which the mask is the same. It is 0 without a mask.
   */
  int64_t mask_constancy;
  /**
   * The largest number of lanes that one access covers. It is a power of two.
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
   * The divisor of the digit that is the coordinate. The coordinate is `axis//below%extent`, or `axis//below` for
   * the slowest coordinate of an axis.
   */
  int64_t below;
  /**
   * Whether the last coordinate has fewer elements than the other coordinates.
   */
  bool partial;
  /**
   * The number of coordinates. It is NULL if the range of the axis is open.
   */
  const struct quaff_expr *extent;
  /**
   * The change of the index when the coordinate rises by 1.
   */
  const struct quaff_expr *stride;
  /**
   * The start of a coordinate `c` that wraps around. The expression `(wrap_origin + c)%wrap_extent` replaces such a
   * coordinate. It is NULL if the coordinate does not wrap around.
   */
  const struct quaff_expr *wrap_origin;
  /**
   * The end at which the coordinate wraps around to 0. It is NULL if the coordinate does not wrap around.
   */
  const struct quaff_expr *wrap_extent;
} quaff_dimension;

/**
 * The set of values of an index.
 */
typedef struct quaff_image {
  /**
   * A range that contains all values. An end is open if no bound is found.
   */
  struct quaff_range range;
  /**
   * Whether both ends of the range are values.
   */
  bool has_ends;
  /**
   * A number that divides the differences of all values. It is 0 if there is only one value.
   */
  int64_t stride;
  /**
   * Whether all numbers from the least to the greatest value, in steps of the stride, are values.
   */
  enum quaff_decision dense;
  /**
   * A number that is missing from the values, if they are not dense. Otherwise 0.
   */
  int64_t hole;
  /**
   * The number of different values. It is 0 if this number is not found.
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
   * A range that contains all values. An end is open if no bound is found.
   */
  struct quaff_range range;
  /**
   * A congruence that all values satisfy. The modulus is 0 if there is only one value.
   */
  struct quaff_congruence congruence;
  /**
   * Whether both ends of the range are proved to be values.
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
   * The variable that counts the steps. It is empty if the variable has only one value.
   */
  struct quaff_str counter;
  /**
   * The variable as an expression in its counter: `counter*step + first`.
   */
  const struct quaff_expr *value;
  /**
   * The counter as an expression in the variable: `(name - first)//step`.
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
   * A variable, or a sum of iterators that together form one iterator.
   */
  const struct quaff_expr *source;
  /**
   * The divisor of the source.
   */
  const struct quaff_expr *lower;
  /**
   * The divisor of the remainder. It is NULL if there is no remainder.
   */
  const struct quaff_expr *modulus;
  /**
   * The number of values.
   */
  const struct quaff_expr *extent;
  /**
   * The change of the output when the digit rises by 1.
   */
  const struct quaff_expr *scale;
} quaff_iterator;

/**
 * Values of the quotient `source//lower` that never occur at the ends of its range. All pointers are borrowed from the
 * handle of the sums.
 */
typedef struct quaff_padding {
  /**
   * The numerator of the quotient.
   */
  const struct quaff_expr *source;
  /**
   * The divisor of the quotient.
   */
  const struct quaff_expr *lower;
  /**
   * The number of missing values before the first value.
   */
  const struct quaff_expr *left;
  /**
   * The number of missing values after the last value.
   */
  const struct quaff_expr *right;
} quaff_padding;

/**
 * An iterator with its extent. Both pointers are borrowed from the handle of the iterators.
 */
typedef struct quaff_axis {
  /**
   * The iterator, whose values are in `0..extent`.
   */
  const struct quaff_expr *iterator;
  /**
   * The number of values of the iterator.
   */
  const struct quaff_expr *extent;
} quaff_axis;

/**
 * An output as `outer * stride + inner`. All pointers are borrowed from the handle of the map.
 */
typedef struct quaff_division {
  /**
   * The outer part, an expression without inner inputs. Its values are in `0..outer_extent`.
   */
  const struct quaff_expr *outer;
  /**
   * An upper bound on the number of values of the outer part.
   */
  const struct quaff_expr *outer_extent;
  /**
   * The factor of the outer part. It is at least the number of values of the inner part, if the outer part has
   * several values.
   */
  const struct quaff_expr *stride;
  /**
   * The inner part, an expression in the inner inputs alone. It includes the base of the output.
   */
  const struct quaff_expr *inner;
  /**
   * An upper bound on the number of integers from the least to the greatest value of the inner part.
   */
  const struct quaff_expr *inner_extent;
} quaff_division;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The status that the call returned. It is `QUAFF_STATUS_OK` for NULL.
 */
enum quaff_status quaff_error_status(const struct quaff_error *error);

/**
 * The message for people. The result is borrowed from `error`, and empty for NULL.
 */
struct quaff_str quaff_error_message(const struct quaff_error *error);

/**
 * The code for programs, a name such as `quaff::zero_divisor`. The result is borrowed from `error`, and empty for
 * NULL.
 */
struct quaff_str quaff_error_code(const struct quaff_error *error);

/**
 * A hint how to correct the error, or an empty text. The result is borrowed from `error`, and empty for NULL.
 */
struct quaff_str quaff_error_help(const struct quaff_error *error);

/**
 * The part of an input that the error is about.
 */
struct quaff_place quaff_error_place(const struct quaff_error *error);

/**
 * Frees an error. NULL is ignored.
 */
void quaff_error_free(struct quaff_error *error);

/**
 * The version of the library, such as `0.1.0`.
 */
struct quaff_str quaff_version(void);

/**
 * All nodes, each after its operands. They are borrowed from `nodes`. The span is empty for NULL.
 */
struct quaff_node_span quaff_nodes_all(const struct quaff_nodes *nodes);

/**
 * The numbers of the nodes of the expressions, in their order. They are borrowed from `nodes`. The span is empty for
 * NULL.
 */
struct quaff_id_span quaff_nodes_roots(const struct quaff_nodes *nodes);

/**
 * The number of names of variables. The result is 0 for NULL.
 */
size_t quaff_nodes_name_count(const struct quaff_nodes *nodes);

/**
 * Name number `at`. The result is borrowed from `nodes`, and empty if there is no such name.
 */
struct quaff_str quaff_nodes_name(const struct quaff_nodes *nodes, size_t at);

/**
 * The range of the values of a node, which the search of the answer found. The result is open on both sides if nothing
 * is known, and for nodes that belong to no answer.
 *
 * If the dividend of a division is not negative, the host needs no correction for a division that rounds towards zero.
 */
struct quaff_range quaff_nodes_range(const struct quaff_nodes *nodes, uint32_t node);

/**
 * Reads an expression, such as `(i*16 + j)//4`. The grammar is the grammar of Python, and `//` and `%` round down.
 *
 * The caller owns `*expr`, which is NULL after an error. A text that is no expression gives `QUAFF_STATUS_PARSE`, with
 * the place.
 */
enum quaff_status quaff_expr_parse(struct quaff_str text, struct quaff_expr **expr, struct quaff_error **error);

/**
 * Makes an expression from nodes. `root` is the number of the node of the expression, and `names` are the names of
 * variables.
 *
 * The caller owns `*expr`, which is NULL after an error. An invalid node gives `QUAFF_STATUS_NODES`, with the number
 * of the node. The time is proportional to the number of nodes.
 */
enum quaff_status quaff_expr_from_nodes(struct quaff_node_span nodes,
                                        struct quaff_str_span names,
                                        uint32_t root,
                                        struct quaff_expr **expr,
                                        struct quaff_error **error);

/**
 * Copies an expression, including a borrowed one. The caller owns the copy, which is NULL for NULL. The call takes
 * constant time.
 */
struct quaff_expr *quaff_expr_clone(const struct quaff_expr *expr);

/**
 * The text of an expression. `quaff_expr_parse` reads it back. The result is borrowed from `expr`.
 *
 * The text repeats shared parts. A text of more than 16 million bytes gives `QUAFF_STATUS_ARGUMENT`. Use
 * `quaff_expr_nodes` for such an expression.
 */
enum quaff_status quaff_expr_text(const struct quaff_expr *expr, struct quaff_str *text, struct quaff_error **error);

/**
 * The nodes of an expression, with one root. The result is borrowed from `expr`, and NULL for NULL.
 */
const struct quaff_nodes *quaff_expr_nodes(const struct quaff_expr *expr);

/**
 * The value of an expression at a point. `values` has a value for each variable in `names`, in the same order.
 *
 * The status is `QUAFF_STATUS_EVAL` for a division by 0, a variable without a value, and a result outside of 64 bits.
 */
enum quaff_status quaff_expr_eval(const struct quaff_expr *expr,
                                  struct quaff_str_span names,
                                  struct quaff_int_span values,
                                  int64_t *value,
                                  struct quaff_error **error);

/**
 * Frees an expression that the caller owns. NULL is ignored.
 */
void quaff_expr_free(struct quaff_expr *expr);

/**
 * Makes a domain without variables. The caller owns it.
 */
struct quaff_domain *quaff_domain_new(void);

/**
 * Reads a domain: declarations, separated by commas, such as `n=1..64, i=0..n - 1, x=0..999 step 4, assume i < x`. Both ends of a range are inclusive.
 *
 * The caller owns `*domain`, which is NULL after an error. A text that cannot be read gives `QUAFF_STATUS_DOMAIN`,
 * with the place.
 */
enum quaff_status quaff_domain_parse(struct quaff_str text,
                                     struct quaff_domain **domain,
                                     struct quaff_error **error);

/**
 * Adds the declarations of a text in the syntax of `quaff_domain_parse`. After an error nothing has changed.
 */
enum quaff_status quaff_domain_add(struct quaff_domain *domain, struct quaff_str text, struct quaff_error **error);

/**
 * Declares that a variable is in `lower..upper`, both inclusive. `INT64_MIN` and `INT64_MAX` are open ends.
 */
enum quaff_status quaff_domain_range(struct quaff_domain *domain,
                                     struct quaff_str name,
                                     int64_t lower,
                                     int64_t upper,
                                     struct quaff_error **error);

/**
 * Declares that a variable is between two expressions, both inclusive. NULL is an open end. The caller still owns the
 * expressions.
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
 * Declares that a condition holds at every point. The caller still owns the condition.
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
 * Declares that the range of a variable is never empty, for all values of the variables in its ends.
 */
enum quaff_status quaff_domain_nonempty(struct quaff_domain *domain, struct quaff_str name, struct quaff_error **error);

/**
 * Declares that the variables count nested loops, the outermost first.
 */
enum quaff_status quaff_domain_loop(struct quaff_domain *domain,
                                    struct quaff_str_span names,
                                    struct quaff_error **error);

/**
 * Declares that no expression divides by 0 in the domain. The caller guarantees this.
 */
enum quaff_status quaff_domain_defined(struct quaff_domain *domain, struct quaff_error **error);

/**
 * Checks that the declarations do not contradict each other. A contradiction gives `QUAFF_STATUS_DOMAIN`, in this call
 * and in calls with this domain.
 */
enum quaff_status quaff_domain_check(const struct quaff_domain *domain, struct quaff_error **error);

/**
 * The text of a domain. `quaff_domain_parse` reads it back if all names are words. The result is borrowed from
 * `domain` until the next change, and empty for NULL.
 */
struct quaff_str quaff_domain_text(const struct quaff_domain *domain);

/**
 * Copies a domain. The caller owns the copy, which is NULL for NULL.
 */
struct quaff_domain *quaff_domain_clone(const struct quaff_domain *domain);

/**
 * Frees a domain. NULL is ignored.
 */
void quaff_domain_free(struct quaff_domain *domain);

/**
 * Makes settings with the defaults. The caller owns them.
 */
struct quaff_simplifier *quaff_simplifier_new(void);

/**
 * The amount of work for an answer. 0 is one short pass, and 1 is the default. 2 searches four times as many forms as
 * 1, and 3 searches sixteen times as many.
 */
enum quaff_status quaff_simplifier_effort(struct quaff_simplifier *simplifier,
                                          uint8_t effort,
                                          struct quaff_error **error);

/**
 * The machine for which answers are made: `sm_80`, `sm_90` (the default), `sm_100` or `plain`. Changes of prices may
 * follow, such as `sm_90+mulhi=20`. This call also makes the prices of the machine the cost model.
 */
enum quaff_status quaff_simplifier_target(struct quaff_simplifier *simplifier,
                                          struct quaff_str name,
                                          struct quaff_error **error);

/**
 * The cost by which answers are chosen: one of `quaff_cost_model`.
 */
enum quaff_status quaff_simplifier_cost_model(struct quaff_simplifier *simplifier,
                                              uint32_t model,
                                              struct quaff_error **error);

/**
 * Frees settings. NULL is ignored.
 */
void quaff_simplifier_free(struct quaff_simplifier *simplifier);

/**
 * Finds the cheapest expressions with the same values at every point of the domain. Several expressions belong to one
 * kernel, and a part that they share is counted once.
 *
 * The caller owns `*answer`, which is NULL after an error. An expression that cannot be simplified gives
 * `QUAFF_STATUS_SIMPLIFY`, with the place in the text or the nodes of the expression.
 */
enum quaff_status quaff_simplify(const struct quaff_simplifier *simplifier,
                                 struct quaff_expr_span exprs,
                                 const struct quaff_domain *domain,
                                 struct quaff_answer **answer,
                                 struct quaff_error **error);

/**
 * Does the same as `quaff_simplify` for the nodes with the numbers `roots`. It needs no handle for each expression.
 */
enum quaff_status quaff_simplify_nodes(const struct quaff_simplifier *simplifier,
                                       struct quaff_node_span nodes,
                                       struct quaff_str_span names,
                                       struct quaff_id_span roots,
                                       const struct quaff_domain *domain,
                                       struct quaff_answer **answer,
                                       struct quaff_error **error);

/**
 * The number of expressions in the answer, which equals the number of expressions of the call. The result is 0 for
 * NULL.
 */
size_t quaff_answer_count(const struct quaff_answer *answer);

/**
 * Expression number `at`, in the order of the call. The result is borrowed from `answer`, and NULL if there is no such
 * expression.
 */
const struct quaff_expr *quaff_answer_expr(const struct quaff_answer *answer, size_t at);

/**
 * The nodes of all expressions with their ranges, and a root for each expression. The result is borrowed from
 * `answer`, and NULL for NULL.
 */
const struct quaff_nodes *quaff_answer_nodes(const struct quaff_answer *answer);

/**
 * The cost of the answer, in simple 32-bit instructions. The result is 0 for NULL.
 */
double quaff_answer_cost(const struct quaff_answer *answer);

/**
 * The cost of the expressions of the call as they were written. The result is 0 for NULL.
 */
double quaff_answer_input_cost(const struct quaff_answer *answer);

/**
 * A lower bound on the cost of all forms that the last search found. The result is 0 for NULL, and if there is no
 * bound.
 */
double quaff_answer_least_cost(const struct quaff_answer *answer);

/**
 * Whether the search ended because there was nothing left to find, and not because of a limit. The result is false for
 * NULL.
 */
bool quaff_answer_saturated(const struct quaff_answer *answer);

/**
 * The text of all expressions in `language`, one of `quaff_language`.
 *
 * The caller owns `*text`, which is NULL after an error. The status is `QUAFF_STATUS_LOWER` if a value may exceed 64
 * bits.
 */
enum quaff_status quaff_answer_text(const struct quaff_answer *answer,
                                    uint32_t language,
                                    struct quaff_text **text,
                                    struct quaff_error **error);

/**
 * Frees an answer. NULL is ignored.
 */
void quaff_answer_free(struct quaff_answer *answer);

/**
 * The body of a function: all statements, and `return` with the result. With several results, C and CUDA assign to
 * `out[0]`, `out[1]` and so on. The result is empty for NULL.
 */
struct quaff_str quaff_text_body(const struct quaff_text *text);

/**
 * The definitions, the parameters as a comment, and the body. The result is empty for NULL.
 */
struct quaff_str quaff_text_whole(const struct quaff_text *text);

/**
 * Definitions that a file with the text needs once. The result is empty if the text needs no definitions, and for
 * NULL.
 */
struct quaff_str quaff_text_prelude(const struct quaff_text *text);

/**
 * Definitions for the host, which prepares divisors. The result is empty if there are no divisors, and for NULL.
 */
struct quaff_str quaff_text_host(const struct quaff_text *text);

/**
 * The number of statements before the results. The result is 0 for NULL.
 */
size_t quaff_text_statement_count(const struct quaff_text *text);

/**
 * The complete statement number `at`. The result is empty if there is no such statement.
 */
struct quaff_str quaff_text_statement(const struct quaff_text *text, size_t at);

/**
 * The number of results, which is the number of expressions. The result is 0 for NULL.
 */
size_t quaff_text_result_count(const struct quaff_text *text);

/**
 * Result number `at`. Its texts are empty if there is no such result.
 */
struct quaff_result quaff_text_result(const struct quaff_text *text, size_t at);

/**
 * The number of parameters, without prepared divisors. The result is 0 for NULL.
 */
size_t quaff_text_parameter_count(const struct quaff_text *text);

/**
 * Parameter number `at`. Its texts are empty if there is no such parameter.
 */
struct quaff_parameter quaff_text_parameter(const struct quaff_text *text, size_t at);

/**
 * The number of prepared divisors, which are also parameters. The result is 0 for NULL.
 */
size_t quaff_text_divisor_count(const struct quaff_text *text);

/**
 * Prepared divisor number `at`. Its texts are empty if there is no such divisor.
 */
struct quaff_divisor quaff_text_divisor(const struct quaff_text *text, size_t at);

/**
 * The whole text as a function `name`. It has definitions, parameters with their types, and the code with which the
 * host prepares divisors.
 *
 * `*function` is borrowed from `text` until the next call of this function. A name that the language does not accept
 * gives `QUAFF_STATUS_ARGUMENT`.
 */
enum quaff_status quaff_text_function(struct quaff_text *text,
                                      struct quaff_str name,
                                      struct quaff_str *function,
                                      struct quaff_error **error);

/**
 * Frees a text. NULL is ignored.
 */
void quaff_text_free(struct quaff_text *text);

/**
 * Makes a prover of facts in a domain. Nothing is computed before the first question. `domain` may be changed or freed
 * afterwards.
 *
 * The caller owns `*facts`, which is NULL after an error.
 */
enum quaff_status quaff_facts_new(const struct quaff_simplifier *simplifier,
                                  const struct quaff_domain *domain,
                                  struct quaff_facts **facts,
                                  struct quaff_error **error);

/**
 * The range of all values of an expression. An end is open if no bound is found.
 */
enum quaff_status quaff_facts_bounds(struct quaff_facts *facts,
                                     const struct quaff_expr *expr,
                                     struct quaff_range *range,
                                     struct quaff_error **error);

/**
 * A congruence that all values of an expression satisfy. The modulus is 1 if no other congruence is found.
 */
enum quaff_status quaff_facts_congruence(struct quaff_facts *facts,
                                         const struct quaff_expr *expr,
                                         struct quaff_congruence *congruence,
                                         struct quaff_error **error);

/**
 * Decides whether a condition holds at every point or at no point. `*holds` is true if it holds at every point, and
 * false if it holds at no point. The status is `QUAFF_STATUS_NOT_PROVED` if neither is proved.
 */
enum quaff_status quaff_facts_prove(struct quaff_facts *facts,
                                    const struct quaff_expr *condition,
                                    bool *holds,
                                    struct quaff_error **error);

/**
 * Decides whether two expressions are equal at every point or at no point. `*holds` is true if they are equal at every
 * point, and false if they are equal at no point. The status is `QUAFF_STATUS_NOT_PROVED` if neither is proved.
 */
enum quaff_status quaff_facts_equal(struct quaff_facts *facts,
                                    const struct quaff_expr *a,
                                    const struct quaff_expr *b,
                                    bool *holds,
                                    struct quaff_error **error);

/**
 * Begins a level. Conditions and variables that are added later hold until `quaff_facts_pop` ends the level.
 */
enum quaff_status quaff_facts_push(struct quaff_facts *facts, struct quaff_error **error);

/**
 * Ends the innermost level. If no level was begun, the status is `QUAFF_STATUS_ARGUMENT`.
 */
enum quaff_status quaff_facts_pop(struct quaff_facts *facts, struct quaff_error **error);

/**
 * Assumes a condition until the level ends. The caller still owns the condition. If it contradicts earlier conditions,
 * questions about the same variables give an error.
 */
enum quaff_status quaff_facts_assume(struct quaff_facts *facts,
                                     const struct quaff_expr *condition,
                                     struct quaff_error **error);

/**
 * Adds the variables and conditions of a domain until the level ends. The domain may be changed or freed afterwards.
 */
enum quaff_status quaff_facts_add(struct quaff_facts *facts,
                                  const struct quaff_domain *domain,
                                  struct quaff_error **error);

/**
 * Frees a prover of facts. NULL is ignored.
 */
void quaff_facts_free(struct quaff_facts *facts);

/**
 * Proves facts about `index` along the variable `lane`, whose range begins at 0. Finds the widest vector of up to
 * `most` lanes.
 *
 * `mask` is the condition of the access, or NULL. The status is `QUAFF_STATUS_ASK` if `lane` is no such variable.
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
 * Splits an index by sets of variables, such as the variables that are uniform in a warp, and the variables of its
 * lanes. A variable in no set may occur in all parts.
 *
 * `names` has the names of all sets one after another, and `sizes` the number of names in each set. The caller owns
 * `*parts`, which is NULL after an error. A variable in two sets gives `QUAFF_STATUS_ASK`. Terms that cannot be split
 * are the mixed terms, with `QUAFF_STATUS_OK`.
 */
enum quaff_status quaff_ask_parts(const struct quaff_simplifier *simplifier,
                                  const struct quaff_expr *index,
                                  struct quaff_str_span names,
                                  struct quaff_int_span sizes,
                                  const struct quaff_domain *domain,
                                  struct quaff_parts **parts,
                                  struct quaff_error **error);

/**
 * The number of parts, which is the number of sets. The result is 0 for NULL.
 */
size_t quaff_parts_count(const struct quaff_parts *parts);

/**
 * The part of set number `at`. The result is borrowed from `parts`, and NULL if there is no such set.
 */
const struct quaff_expr *quaff_parts_part(const struct quaff_parts *parts, size_t at);

/**
 * The sum of the terms without variables of any set. The result is borrowed from `parts`, and NULL for NULL.
 */
const struct quaff_expr *quaff_parts_shared(const struct quaff_parts *parts);

/**
 * The number of mixed terms, for which no split was proved. The result is 0 for NULL.
 */
size_t quaff_parts_mixed_count(const struct quaff_parts *parts);

/**
 * Mixed term number `at`, for which no split was proved. The result is borrowed from `parts`, and NULL if there is no
 * such term.
 */
const struct quaff_expr *quaff_parts_mixed(const struct quaff_parts *parts, size_t at);

/**
 * Frees parts. NULL is ignored.
 */
void quaff_parts_free(struct quaff_parts *parts);

/**
 * Writes an offset as the sum of a base and an immediate operand. The immediate operand is in `lower..upper`, both
 * inclusive.
 *
 * The caller owns `*base`. If no base of 64 bits is found, `*base` is NULL and the status is
 * `QUAFF_STATUS_NOT_PROVED`.
 */
enum quaff_status quaff_ask_base_and_immediate(const struct quaff_expr *offset,
                                               int64_t lower,
                                               int64_t upper,
                                               struct quaff_expr **base,
                                               int64_t *immediate,
                                               struct quaff_error **error);

/**
 * Writes an index as a strided access along the variables `axes`, whose ranges begin at 0.
 *
 * The caller owns `*strides`, which is NULL after an error. With `QUAFF_STATUS_NOT_PROVED`, `*strides` has no
 * dimensions, and `quaff_strides_not_strided` returns the term at fault.
 */
enum quaff_status quaff_ask_strides(const struct quaff_simplifier *simplifier,
                                    const struct quaff_expr *index,
                                    struct quaff_str_span axes,
                                    const struct quaff_domain *domain,
                                    struct quaff_strides **strides,
                                    struct quaff_error **error);

/**
 * The number of dimensions. The result is 0 for NULL.
 */
size_t quaff_strides_count(const struct quaff_strides *strides);

/**
 * Dimension number `at`. The axes are in their order, and the slowest dimension of an axis comes first. If there is no
 * such dimension, the name is empty and `stride` is NULL.
 */
struct quaff_dimension quaff_strides_dimension(const struct quaff_strides *strides, size_t at);

/**
 * The value of the index when all coordinates are 0. The result is borrowed from `strides`. The result is NULL for
 * NULL, and if no strides are proved.
 */
const struct quaff_expr *quaff_strides_offset(const struct quaff_strides *strides);

/**
 * The term of the index for which no strides are proved. The result is borrowed from `strides`, and NULL if there is
 * no such term.
 */
const struct quaff_expr *quaff_strides_not_strided(const struct quaff_strides *strides);

/**
 * Frees strides. NULL is ignored.
 */
void quaff_strides_free(struct quaff_strides *strides);

/**
 * Decides whether different values of the variables `inputs` always have different outputs, for all values of the
 * other variables.
 *
 * With `QUAFF_STATUS_OK` and a `*witness` of NULL, the outputs always differ. Otherwise the caller owns `*witness`,
 * which has two points with the same outputs. The status is `QUAFF_STATUS_NOT_PROVED` if neither is proved.
 */
enum quaff_status quaff_ask_injective(const struct quaff_simplifier *simplifier,
                                      struct quaff_expr_span outputs,
                                      struct quaff_str_span inputs,
                                      const struct quaff_domain *domain,
                                      struct quaff_witness **witness,
                                      struct quaff_error **error);

/**
 * Decides whether all places of `0..extent` are outputs, for all values of the variables that are no inputs. Each
 * output has an extent.
 *
 * With `QUAFF_STATUS_OK` and a `*witness` of NULL, every place is an output. Otherwise the caller owns `*witness`,
 * which has one point without names. This point is a place that is no output. The status is `QUAFF_STATUS_NOT_PROVED`
 * if neither is proved.
 */
enum quaff_status quaff_ask_surjective(const struct quaff_simplifier *simplifier,
                                       struct quaff_expr_span outputs,
                                       struct quaff_expr_span extents,
                                       struct quaff_str_span inputs,
                                       const struct quaff_domain *domain,
                                       struct quaff_witness **witness,
                                       struct quaff_error **error);

/**
 * Decides whether two accesses never have a common address. The two accesses may have different values of the
 * variables `inputs`.
 *
 * With `QUAFF_STATUS_OK` and a `*witness` of NULL, they have no common address. Otherwise the caller owns `*witness`,
 * which has a point of `a` and a point of `b` with the same address. The status is `QUAFF_STATUS_NOT_PROVED` if
 * neither is proved.
 */
enum quaff_status quaff_ask_disjoint(const struct quaff_simplifier *simplifier,
                                     const struct quaff_expr *a,
                                     const struct quaff_expr *b,
                                     struct quaff_str_span inputs,
                                     const struct quaff_domain *domain,
                                     struct quaff_witness **witness,
                                     struct quaff_error **error);

/**
 * The number of points. The result is 0 for NULL.
 */
size_t quaff_witness_count(const struct quaff_witness *witness);

/**
 * The number of values of a point. The result is 0 if there is no such point.
 */
size_t quaff_witness_size(const struct quaff_witness *witness, size_t point);

/**
 * The variable of a value. The result is borrowed from `witness`. The result is empty for an output, and if there is
 * no such value.
 */
struct quaff_str quaff_witness_name(const struct quaff_witness *witness, size_t point, size_t at);

/**
 * A value of a point. The result is 0 if there is no such value.
 */
int64_t quaff_witness_value(const struct quaff_witness *witness, size_t point, size_t at);

/**
 * Frees a witness. NULL is ignored.
 */
void quaff_witness_free(struct quaff_witness *witness);

/**
 * The inverse of a map: each input as an expression in the outputs. The outputs are variables called `names`, each in
 * `0..extent`.
 *
 * The caller owns `*inverse`, which is NULL after an error. If no inverse is proved, `*inverse` is NULL and the status
 * is `QUAFF_STATUS_NOT_PROVED`.
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
 * The number of inputs. The result is 0 for NULL.
 */
size_t quaff_inverse_count(const struct quaff_inverse *inverse);

/**
 * Input number `at` as an expression in the outputs. The result is borrowed from `inverse`, and NULL if there is no
 * such input.
 */
const struct quaff_expr *quaff_inverse_input(const struct quaff_inverse *inverse, size_t at);

/**
 * The condition that a place is an output. The result is borrowed from `inverse`, and NULL if each place is an output.
 */
const struct quaff_expr *quaff_inverse_inside(const struct quaff_inverse *inverse);

/**
 * Frees an inverse. NULL is ignored.
 */
void quaff_inverse_free(struct quaff_inverse *inverse);

/**
 * Finds the weakest simple conditions on the variables `sizes` under which `condition` is proved. The conditions imply
 * `condition` for all values of the other variables.
 *
 * The caller owns `*when`, which is NULL after an error. If the condition always holds, there is one alternative
 * without conditions. If nothing is found, `*when` is NULL and the status is `QUAFF_STATUS_NOT_PROVED`.
 */
enum quaff_status quaff_ask_when(const struct quaff_simplifier *simplifier,
                                 const struct quaff_expr *condition,
                                 struct quaff_str_span sizes,
                                 const struct quaff_domain *domain,
                                 struct quaff_when **when,
                                 struct quaff_error **error);

/**
 * Finds the weakest simple conditions on the variables `sizes` under which one access covers each group of `width`
 * neighbouring lanes of `index`. The lanes are values of the variable `lane`, whose range begins at 0. `mask` is the
 * condition of the access, or NULL.
 *
 * The result has the form of `quaff_ask_when`. A width that does not divide the number of lanes gives
 * `QUAFF_STATUS_ASK`.
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
 * Finds the weakest simple conditions on the variables `sizes` under which two accesses have no common address. The
 * two accesses may have different values of the variables `inputs`.
 *
 * The result has the form of `quaff_ask_when`.
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
 * The number of alternatives. The result is 0 for NULL.
 */
size_t quaff_when_count(const struct quaff_when *when);

/**
 * The number of conditions of an alternative, which together suffice. The result is 0 if there is no such alternative.
 */
size_t quaff_when_condition_count(const struct quaff_when *when, size_t alternative);

/**
 * A condition of an alternative. The result is borrowed from `when`, and NULL if there is no such condition.
 */
const struct quaff_expr *quaff_when_condition(const struct quaff_when *when, size_t alternative, size_t at);

/**
 * The conjunction of all conditions of an alternative, or 1 if it has none. The result is borrowed from `when`, and
 * NULL if there is no such alternative.
 */
const struct quaff_expr *quaff_when_test(const struct quaff_when *when, size_t alternative);

/**
 * The test of the host as code in `language`, the name of a dialect such as `c`, `cuda` or `python`.
 *
 * `*text` is borrowed from `when` until the next call of this function. An alternative that does not exist, and a name
 * of no dialect, give `QUAFF_STATUS_ARGUMENT`. A dialect that cannot write the test gives `QUAFF_STATUS_LOWER`.
 */
enum quaff_status quaff_when_code(struct quaff_when *when,
                                  size_t alternative,
                                  struct quaff_str language,
                                  struct quaff_str *text,
                                  struct quaff_error **error);

/**
 * Whether the alternative is necessary. The result is `QUAFF_NECESSITY_UNKNOWN` if there is no such alternative.
 */
enum quaff_necessity quaff_when_necessity(const struct quaff_when *when, size_t alternative);

/**
 * Frees conditions. NULL is ignored.
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
 * Computes the range of each variable under the conditions of the domain. The ranges are a box around all points. Each
 * variable also has a congruence.
 *
 * The caller owns `*ranges`, which is NULL after an error. It has a range for each variable in `variables`, in the
 * same order.
 */
enum quaff_status quaff_ask_ranges(const struct quaff_simplifier *simplifier,
                                   struct quaff_str_span variables,
                                   const struct quaff_domain *domain,
                                   struct quaff_ranges **ranges,
                                   struct quaff_error **error);

/**
 * The number of variables. The result is 0 for NULL.
 */
size_t quaff_ranges_count(const struct quaff_ranges *ranges);

/**
 * The range of variable number `at`. The name is borrowed from `ranges`. The name is empty if there is no such
 * variable.
 */
struct quaff_variable_range quaff_ranges_variable(const struct quaff_ranges *ranges, size_t at);

/**
 * Frees ranges. NULL is ignored.
 */
void quaff_ranges_free(struct quaff_ranges *ranges);

/**
 * Replaces each of the variables `variables` that changes in steps by a counter of its steps. A counter begins at 0 if
 * the least value is known.
 *
 * The caller owns `*rescaled`, which is NULL after an error. The domain in it has the ranges of the counters and of
 * all other variables.
 */
enum quaff_status quaff_ask_rescale(const struct quaff_simplifier *simplifier,
                                    struct quaff_expr_span exprs,
                                    struct quaff_str_span variables,
                                    const struct quaff_domain *domain,
                                    struct quaff_rescaled **rescaled,
                                    struct quaff_error **error);

/**
 * The number of expressions, which equals the number of expressions of the call. The result is 0 for NULL.
 */
size_t quaff_rescaled_count(const struct quaff_rescaled *rescaled);

/**
 * Expression number `at` in its simplest form. The result is borrowed from `rescaled`, and NULL if there is no such
 * expression.
 */
const struct quaff_expr *quaff_rescaled_expr(const struct quaff_rescaled *rescaled, size_t at);

/**
 * The domain of the counters and of all other variables. The result is borrowed from `rescaled`, and NULL for NULL.
 */
const struct quaff_domain *quaff_rescaled_domain(const struct quaff_rescaled *rescaled);

/**
 * The number of counted variables. The result is 0 for NULL.
 */
size_t quaff_rescaled_counted_count(const struct quaff_rescaled *rescaled);

/**
 * Counted variable number `at`. If there is no such variable, all texts are empty and all pointers are NULL.
 */
struct quaff_counted quaff_rescaled_counted(const struct quaff_rescaled *rescaled, size_t at);

/**
 * Frees rescaled expressions. NULL is ignored.
 */
void quaff_rescaled_free(struct quaff_rescaled *rescaled);

/**
 * Writes each output as a base and a sum of iterators of the variables `inputs`, whose ranges begin at 0.
 *
 * The caller owns `*iters`, which is NULL after an error. With `QUAFF_STATUS_NOT_PROVED`, `*iters` has no outputs, and
 * `quaff_iters_no_iterator` returns the part at fault.
 */
enum quaff_status quaff_ask_iters(const struct quaff_simplifier *simplifier,
                                  struct quaff_expr_span outputs,
                                  struct quaff_str_span inputs,
                                  const struct quaff_domain *domain,
                                  struct quaff_iters **iters,
                                  struct quaff_error **error);

/**
 * The number of outputs. The result is 0 for NULL, and if the outputs are no sums of iterators.
 */
size_t quaff_iters_count(const struct quaff_iters *iters);

/**
 * The number of iterators of an output. The result is 0 if there is no such output.
 */
size_t quaff_iters_iterator_count(const struct quaff_iters *iters, size_t output);

/**
 * Iterator number `at` of an output, the slowest iterator first. All pointers are NULL if there is no such iterator.
 */
struct quaff_iterator quaff_iters_iterator(const struct quaff_iters *iters, size_t output, size_t at);

/**
 * The base of an output, which is added to its iterators. The result is borrowed from `iters`, and NULL if there is no
 * such output.
 */
const struct quaff_expr *quaff_iters_base(const struct quaff_iters *iters, size_t output);

/**
 * The number of quotients with padding. The result is 0 for NULL.
 */
size_t quaff_iters_padding_count(const struct quaff_iters *iters);

/**
 * Padding number `at`. All pointers are NULL if there is no such padding.
 */
struct quaff_padding quaff_iters_padding(const struct quaff_iters *iters, size_t at);

/**
 * Whether inputs and digits determine each other, and all combinations of digits occur. The result for NULL is
 * `QUAFF_DECISION_UNKNOWN`.
 */
enum quaff_decision quaff_iters_bijective(const struct quaff_iters *iters);

/**
 * The part of an output that is no iterator, or that depends on another part. The result is borrowed from `iters`, and
 * NULL if there is no such part.
 */
const struct quaff_expr *quaff_iters_no_iterator(const struct quaff_iters *iters);

/**
 * The number of the first output that is no sum of iterators. The result is 0 if all outputs are sums of iterators.
 */
size_t quaff_iters_no_iterator_output(const struct quaff_iters *iters);

/**
 * Frees sums of iterators. NULL is ignored.
 */
void quaff_iters_free(struct quaff_iters *iters);

/**
 * Fuses iterators into one iterator. The first of them is the slowest. `i` and `j` with extents `m` and `n` become
 * `i*n + j` with extent `m*n`.
 *
 * The caller owns `*axes`, which is NULL after an error. It holds one iterator.
 */
enum quaff_status quaff_fuse(struct quaff_expr_span iterators,
                             struct quaff_expr_span extents,
                             struct quaff_axes **fused,
                             struct quaff_error **error);

/**
 * Splits an iterator into `iterator//factor` and `iterator%factor`. The second iterator is the faster one, and has
 * `factor` values. The extent of the first iterator is rounded up.
 *
 * The caller owns `*axes`, which is NULL after an error. It holds two iterators. The factor must be positive.
 */
enum quaff_status quaff_split(const struct quaff_expr *iterator,
                              const struct quaff_expr *extent,
                              const struct quaff_expr *factor,
                              struct quaff_axes **parts,
                              struct quaff_error **error);

/**
 * The number of iterators. The result is 0 for NULL.
 */
size_t quaff_axes_count(const struct quaff_axes *axes);

/**
 * Iterator number `at`. Both pointers are NULL if there is no such iterator.
 */
struct quaff_axis quaff_axes_axis(const struct quaff_axes *axes, size_t at);

/**
 * Frees iterators. NULL is ignored.
 */
void quaff_axes_free(struct quaff_axes *axes);

/**
 * Divides a map of the variables `inputs` into a map of the inputs `inner` and a map of all other inputs. Each output
 * is `outer * stride + inner`.
 *
 * The caller owns `*subspace`, which is NULL after an error. With `QUAFF_STATUS_NOT_PROVED`, `*subspace` has no
 * outputs, and `quaff_subspace_mixed` returns the part at fault.
 */
enum quaff_status quaff_ask_subspace(const struct quaff_simplifier *simplifier,
                                     struct quaff_expr_span outputs,
                                     struct quaff_str_span inputs,
                                     struct quaff_str_span inner,
                                     const struct quaff_domain *domain,
                                     struct quaff_subspace **subspace,
                                     struct quaff_error **error);

/**
 * The number of outputs. The result is 0 for NULL, and if the map cannot be divided.
 */
size_t quaff_subspace_count(const struct quaff_subspace *subspace);

/**
 * Output number `at`. All pointers are NULL if there is no such output.
 */
struct quaff_division quaff_subspace_division(const struct quaff_subspace *subspace, size_t at);

/**
 * The number of conditions on the outer inputs. The result is 0 for NULL.
 */
size_t quaff_subspace_outer_condition_count(const struct quaff_subspace *subspace);

/**
 * Condition number `at` on the outer inputs. The result is borrowed from `subspace`, and NULL if there is no such
 * condition.
 */
const struct quaff_expr *quaff_subspace_outer_condition(const struct quaff_subspace *subspace, size_t at);

/**
 * The number of conditions on the inner inputs. The result is 0 for NULL.
 */
size_t quaff_subspace_inner_condition_count(const struct quaff_subspace *subspace);

/**
 * Condition number `at` on the inner inputs. The result is borrowed from `subspace`, and NULL if there is no such
 * condition.
 */
const struct quaff_expr *quaff_subspace_inner_condition(const struct quaff_subspace *subspace, size_t at);

/**
 * An output or a condition, or a part of it, that cannot be divided. The result is borrowed from `subspace`, and NULL
 * if the map is divided.
 */
const struct quaff_expr *quaff_subspace_mixed(const struct quaff_subspace *subspace);

/**
 * Frees a divided map. NULL is ignored.
 */
void quaff_subspace_free(struct quaff_subspace *subspace);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* QUAFF_H */

/** The text before the 0 at the end of `text`. NULL gives an empty text. */
static inline quaff_str quaff_cstr(const char *text) {
  quaff_str str;
  str.data = text;
  str.size = text ? strlen(text) : 0;
  return str;
}
