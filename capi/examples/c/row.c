/* One index: text of CUDA, nodes, a question, and an error with its place. */

#include <quaff.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(quaff_error *error) {
  const quaff_place place = quaff_error_place(error);
  fprintf(stderr, "%s: %s (bytes %zu..%zu)\n", quaff_error_code(error).data, quaff_error_message(error).data, place.begin,
          place.end);
  quaff_error_free(error);
  exit(1);
}

int main(void) {
  quaff_error *error = NULL;
  quaff_expr *index = NULL;
  quaff_domain *domain = quaff_domain_new();
  quaff_answer *answer = NULL;
  quaff_text *text = NULL;

  /* rows of 12 into rows of 96 that are padded to 128 */
  if (quaff_expr_parse(quaff_cstr("(t*12 + c)//96*128 + (t*12 + c)%96"), &index, &error) ||
      quaff_domain_range(domain, quaff_cstr("t"), 0, 8191, &error) ||
      quaff_domain_range(domain, quaff_cstr("c"), 0, 11, &error)) {
    fail(error);
  }

  const quaff_expr *const asked[] = {index};
  const quaff_expr_span all = {asked, 1};
  if (quaff_simplify(NULL, all, domain, &answer, &error) || quaff_answer_text(answer, QUAFF_LANGUAGE_CUDA, &text, &error)) {
    fail(error);
  }
  printf("cost %.1f -> %.1f\n%s", quaff_answer_input_cost(answer), quaff_answer_cost(answer), quaff_text_body(text).data);

  /* operands before their users */
  const quaff_nodes *nodes = quaff_answer_nodes(answer);
  const quaff_node_span list = quaff_nodes_all(nodes);
  for (size_t at = 0; at < list.size; ++at) {
    const quaff_range range = quaff_nodes_range(nodes, (uint32_t)at);
    printf("%2zu: op %u", at, (unsigned)list.data[at].op);
    if (list.data[at].op == QUAFF_OP_VAR) printf(" %s", quaff_nodes_name(nodes, (size_t)list.data[at].value).data);
    if (list.data[at].op == QUAFF_OP_CONST) printf(" %lld", (long long)list.data[at].value);
    printf(", %lld..%lld\n", (long long)range.lower, (long long)range.upper);
  }

  quaff_lanes lanes;
  if (quaff_ask_lanes(NULL, index, NULL, quaff_cstr("c"), 16, domain, &lanes, &error)) fail(error);
  printf("contiguity %lld, widest vector %lld\n", (long long)lanes.contiguity, (long long)lanes.vector);

  /* an error is a value: `k` may be 0 */
  quaff_expr *wrong = NULL;
  if (quaff_expr_parse(quaff_cstr("c//k"), &wrong, &error) || quaff_domain_add(domain, quaff_cstr("k=0..8"), &error)) fail(error);
  const quaff_expr *const second[] = {wrong};
  const quaff_expr_span wrongs = {second, 1};
  quaff_answer *none = NULL;
  const quaff_status status = quaff_simplify(NULL, wrongs, domain, &none, &error);
  const quaff_place place = quaff_error_place(error);
  printf("status %d: %s, bytes %zu..%zu\n", (int)status, quaff_error_message(error).data, place.begin, place.end);
  if (status != QUAFF_STATUS_SIMPLIFY || none || place.begin != 3 || place.end != 4) return 1;

  quaff_error_free(error);
  quaff_expr_free(wrong);
  quaff_text_free(text);
  quaff_answer_free(answer);
  quaff_domain_free(domain);
  quaff_expr_free(index);
  return 0;
}
