//! One test for each capability of `docs/capabilities.md`, at its limits. Each test runs the command of the capability.

use crate::quaff_program::{quaff, quaff_with};
use crate::repository;

/// Capabilities that are tested in another file: the capability, the file and the test.
const ELSEWHERE: [(&str, &str, &str); 15] = [
    ("indices by `ix[d]` in blocks of Python", "python/tests/test_dims.py", "test_dimensions_are_objects"),
    ("dimensions of another program are an error", "python/tests/test_dims.py", "test_another_dims_is_an_error"),
    ("child scopes, and active ones", "python/tests/test_dims.py", "test_scopes_have_parents"),
    ("loops in blocks of Python", "python/tests/test_dims.py", "test_loops_have_names_of_their_own"),
    ("the condition of a cover in Python", "python/tests/test_dims.py", "test_the_condition_of_a_cover"),
    (
        "merged, composed and strided views in Python",
        "python/tests/test_fronts.py",
        "test_views_are_built_merged_composed_and_read_back",
    ),
    ("index types in Python", "python/tests/test_fronts.py", "test_index_types_say_what_copies_share"),
    (
        "schedules by a function of one's own",
        "python/tests/test_fronts.py",
        "test_a_function_of_ones_own_chooses_the_schedule",
    ),
    (
        "uniform variables and threads of schedules in Python",
        "python/tests/test_fronts.py",
        "test_schedules_of_blocks_keep_their_number",
    ),
    ("canonical sums in Python", "python/tests/test_fronts.py", "test_sums_of_quotients_are_the_function"),
    (
        "a simplifier of one's own in Python",
        "python/tests/test_fronts.py",
        "test_a_simplifier_of_ones_own_is_used_by_every_front_end",
    ),
    ("builtins of CUDA in texts of Python", "python/tests/test_simplify.py", "test_texts_say_what_they_rely_on"),
    ("kernels of files compute what plain loops do", "cli/tests/cli/dims.rs", "examples_compute_what_plain_loops_do"),
    ("a wrong rule is named by every command", "cli/tests/cli/verify.rs", "a_wrong_rule_of_the_user_is_named"),
    ("stages and rules that are left out", "cli/tests/cli/ablate.rs", "stages_are_left_out_one_by_one"),
];

#[test]
fn tests_that_are_elsewhere_are_there() {
    for (capability, file, test) in ELSEWHERE {
        let text = std::fs::read_to_string(repository(file)).expect("the file");
        let is_there = text.contains(&format!("fn {test}(")) || text.contains(&format!("def {test}("));
        assert!(is_there, "{capability}: {file} has no {test}");
    }
}

/// The standard output of a command, which must succeed.
fn answered(command: &[&str], input: &str) -> String {
    let run = quaff_with(command, input.as_bytes());
    assert_eq!(run.code, 0, "{command:?}\n{}", run.stderr);
    run.stdout
}

/// The answer to one expression, which must be the only line of the output.
fn simplified(expr: &str, more: &[&str]) -> String {
    answered(&[&["simplify", expr], more].concat(), "").trim().into()
}

/// The cost of the answer as printed.
fn cost(expr: &str, more: &[&str]) -> f64 {
    let text = answered(&[&["simplify", expr, "--json"], more].concat(), "");
    let line = text.lines().find_map(|l| l.trim().strip_prefix("\"cost\": ")).expect("a cost");
    line.trim_end_matches(',').parse().expect("a number")
}

/// Checks that the output contains all of `parts`.
fn says(command: &[&str], input: &str, parts: &[&str]) {
    let text = answered(command, input);
    parts.iter().for_each(|part| assert!(text.contains(part), "{command:?} lacks {part}:\n{text}"));
}

/// Checks that the command fails with a message that contains all of `parts`. The comparison ignores line ends and `|`.
fn refused(command: &[&str], input: &str, parts: &[&str]) {
    let run = quaff_with(command, input.as_bytes());
    let message: Vec<&str> = run.stderr.split_whitespace().filter(|word| *word != "|").collect();
    let message = message.join(" ");
    assert_eq!(run.code, 1, "{command:?}\n{message}");
    parts.iter().for_each(|part| assert!(message.contains(part), "{command:?} lacks {part}:\n{message}"));
}

// Sizes and indices

const VECTOR: &str = "equations = [\"N <= block * thread * v\"]
sizes = { N = 1002, thread = 64, v = 4 }
set = { block = \"blockIdx.x\", thread = \"threadIdx.x\" }
[[want]]
enter = [\"vectorize v\"]
get = [\"N\"]
code = \"*(float4*)(x + $N) = z;\"
";

#[test]
fn a_vector_at_the_end_of_a_cover_is_inside_with_all_lanes() {
    refused(&["dims", "-"], VECTOR, &["the end 1002 may cut a vector of 4 lanes"]);
    says(&["dims", "-"], &VECTOR.replace("1002", "1004"), &["if (N < 1004) {"]);
}

#[test]
fn a_vector_has_the_size_of_its_dimension_and_neighbours_for_lanes() {
    refused(&["dims", "-"], &VECTOR.replace("vectorize v", "vectorize v 8"), &["cannot be vectorised by 8"]);
    let apart = VECTOR.replace("N <= block * thread * v", "N = v * block * thread").replace("1002", "1024");
    refused(&["dims", "-"], &apart, &["4 lanes of `N` are not one access", "`bx*64 + tx + lane*256`"]);
}

#[test]
fn builtins_of_cuda_stand_in_expressions_and_serve_several_dimensions() {
    let toml = "equations = [\"N = A * 16\"]
sizes = { A = 64, tx = 256 }
values = { \"threadIdx.x\" = \"0..255\" }
set = { A = \"threadIdx.x // 4\", tx = \"threadIdx.x\" }
[[want]]
get = [\"N\", \"tx\"]
";
    assert_eq!(answered(&["dims", "-", "--emit", "infix"], toml), "N = tx_//4*16\ntx = tx_\n");
}

#[test]
fn a_solved_index_gives_others_by_strides_and_borders() {
    let conv = repository("examples/dims/conv.toml").display().to_string();
    says(&["dims", &conv, "--emit", "infix"], "", &["in_pixel = bx*256 + tx*2 + ky*32 + kx + tx//16*32 - 33\n"]);
}

#[test]
fn statements_nest_in_one_loop_with_loads_barriers_and_code() {
    let matmul = repository("examples/dims/matmul.toml").display().to_string();
    let text = answered(&["dims", &matmul, "--emit", "cuda"], "");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in\n{text}"));
    assert!(at("for (int s") < at("__syncthreads();") && at("__syncthreads();") < at("for (int i"), "{text}");
    assert_eq!(text.matches("for (int s").count(), 1);
}

#[test]
fn an_index_that_is_loaded_is_loaded_in_its_loop() {
    let paged = repository("examples/dims/paged_decode.toml").display().to_string();
    says(&["dims", &paged, "--cuda"], "", &["for (int p = 0; p < 6; ++p) {\n    const int entry = table[p];"]);
}

#[test]
fn an_index_is_never_set_outside_of_its_dimension() {
    let toml = "values = { q = \"0..100\" }\nsizes = { B = 8 }\nset = { B = \"q + 8\" }\n[[want]]\nget = [\"B\"]\n";
    refused(&["dims", "-"], toml, &["`q + 8` is never an index of `B`, whose size is 8", "it lies in 8..108"]);
}

#[test]
fn errors_of_sizes_have_their_place_however_equations_are_written() {
    for equation in ["X*4=Y", "X * 4 = Y", " X *4 =Y"] {
        let toml = format!("equations = [\"{equation}\"]\nsizes = {{ X = 3, Y = 13 }}\n");
        let message = quaff_with(&["dims", "-"], toml.as_bytes()).stderr;
        assert!(message.contains("left / right = 12/13") && message.contains("`-- here"), "{message}");
    }
}

#[test]
fn names_that_are_nearly_known_are_suggested() {
    let toml = "equations = [\"thread = warp * lane\"]
sizes = { thread = 256, lane = 32 }
[scopes.load]
equations = [\"row = warp * 2\"]
[buffers]
image = \"float\"
[[want]]
";
    let missing = [
        ("--why thred", "get = []", "`thread`"),
        ("", "get = [\"wrap\"]", "`warp`"),
        ("", "enter = [\"loop lan as l\"]", "`lane`"),
        ("", "enter = [\"scope laod\"]", "`load`"),
        ("", "transfer = [{ to = \"imgae[row]\", from = \"image[row]\" }]", "`image`"),
        ("", "set = { thraed = \"t\" }", "`thread`"),
    ];
    for (options, want, meant) in missing {
        let command: Vec<&str> = ["dims", "-"].into_iter().chain(options.split_whitespace()).collect();
        refused(&command, &format!("{toml}{want}\n"), &[&format!("did you mean {meant}?")]);
    }
    // no similar name exists
    let far = quaff_with(&["dims", "-", "--why", "elsewhere"], toml.as_bytes());
    assert!(far.code == 1 && !far.stderr.contains("did you mean"), "{}", far.stderr);
}

#[test]
fn sizes_that_contradict_one_another_say_whence_they_came() {
    let toml = "equations = [\"N=A*B\", \"M=A*C\", \"K=C*D\", \"O=P*Q\"]\n[sizes]\nN = 12\nB = 4\nM = 15\nD = 2\nK = 12\nO = 8\nP = 2\n";
    let wanted =
        ["the sizes of `M = A * C`", "left / right = 5/6", "`A = 3` from `N = A * B` `C = 6` from `K = C * D`"];
    refused(&["dims", "-"], toml, &wanted);
    let message = quaff_with(&["dims", "-"], toml.as_bytes()).stderr;
    assert_eq!(message.matches("`-- here").count(), 3, "{message}");
    assert!(!message.contains("Q = 4"), "{message}");
    let toml = toml.replace("M = 15", "M = 10").replace("K = 12\n", "");
    refused(&["dims", "-"], &toml, &["`C` would have the size 10/3", "by `M = A * C`", "`A = 3` from `N = A * B`"]);
}

#[test]
fn what_a_loop_does_not_change_is_computed_before_it() {
    let toml = "equations = [\"M <= bm * TM\", \"N <= bn * TN\", \"C = M * N\", \"TM * TN = it * thread\"]
sizes = { M = { range = \"1..4096\" }, N = { range = \"1..4096\" }, TM = 64, TN = 64, thread = 256 }
set = { thread = \"threadIdx.x\", bm = \"blockIdx.y\", bn = \"blockIdx.x\" }
[[want]]
enter = [\"loop it as i\"]
get = [\"C\"]
code = \"c[$C] = 0;\"
";
    let text = answered(&["dims", "-", "--cuda", "--verify"], toml);
    let head = text.split("for (int i").next().expect("a loop");
    assert!(head.contains("(tx & 63) + bx * 64;") && head.contains("< N;"), "{text}");
}

// Expressions

const SIZES: [&str; 8] = ["--var", "D=1..128", "--var", "h=0..63", "--var", "d=0..D-1", "--var", "G=1..16"];

#[test]
fn remainders_below_a_symbol_leave_quotients_by_its_multiples() {
    assert_eq!(simplified("(h*D + d)//(4*D)", &SIZES), "h//4");
    assert_eq!(simplified("(h*D + d)%(4*D)//D", &SIZES), "h%4");
    assert_eq!(simplified("(h*D + d)//(G*D)", &SIZES), "h//G");
}

#[test]
fn quotients_of_quotients_by_sizes_are_one_quotient() {
    let all = ["a=0..9999", "b=0..64", "m=1..64", "n=1..64"].map(|range| ["--var", range]).concat();
    assert_eq!(simplified("(a//m + b)//n", &all), "(a + b*m)//(m*n)");
    assert_eq!(simplified("(a//n + b)//n", &all), "(a + b*n)//(n*n)");
}

#[test]
fn coefficients_are_small_where_that_is_cheaper() {
    let wide = ["--var", "a=0..400000000", "--var", "b=0..400000000"];
    assert_eq!(simplified("(6*a + 4*b)//8", &wide), "(a*3 + b*2)//4");
    assert_eq!(simplified("(6*a + 4*b)//12", &wide), "(a*3 + b*2)//6");
    assert_eq!(simplified("(a*8 + b)%7", &["--var", "a=0..400000000", "--var", "b=0..3"]), "(a + b)%7");
    assert_eq!(simplified("(x + 70)//8", &["--var", "x=0..2147483640"]), "(x + 6)//8 + 8");
}

#[test]
fn a_strided_variable_of_two_values_needs_no_remainder() {
    assert_eq!(simplified("(v*13 + 2)//5", &["--var", "v=0..8 step 8"]), "v//8*21");
}

#[test]
fn a_mask_that_changes_nothing_costs_nothing() {
    let range = ["--var", "t=0..31"];
    let (masked, plain) = ("(t + (t & 31)//4 + 8)%32", "(t + t//4 + 8)%32");
    assert!(!simplified(masked, &range).contains('&'));
    assert_eq!(cost(masked, &range), cost(plain, &range));
}

#[test]
fn a_condition_within_an_index_is_its_gate() {
    let range = ["--var", "x=0..9"];
    for (index, invalid, wanted) in [
        ("where(x < 5, x*3, -1) + 0", "-1", "v = in[x*3] if x < 5 else 0\n"),
        ("where(x < 5, x*3, INVALID)*4 + 1", "INVALID", "v = in[x*12 + 1] if x < 5 else 0\n"),
    ] {
        let command = [&["access", index, "--invalid", invalid, "--verify"][..], &range].concat();
        assert_eq!(answered(&command, ""), wanted);
    }
    // an access without a found mask causes a warning
    let none = quaff(&[&["access", "x*3 + 1", "--invalid", "-1"][..], &range].concat());
    assert!(none.code == 0 && none.stderr.contains("no mask is found in the index"), "{}", none.stderr);
}

#[test]
fn neighbouring_lanes_are_one_vector() {
    let lanes = ["t*4 + 1", "t*4 + 2", "t*4 + 3"].map(|lane| ["--lane", lane]).concat();
    let command = [&["access", "t*4", "--var", "t=0..63", "--emit", "cuda"][..], &lanes].concat();
    says(&[&command[..], &["--aligned", "16"]].concat(), "", &["*(float4 *)v = *(const float4 *)&in[t * 4];"]);
    says(&command, "", &["const float v[4] = {"]);
}

#[test]
fn a_function_has_the_types_that_its_values_need() {
    let wide = ["simplify", "i*4096 + j", "--var", "j=0..4095", "--emit", "cuda", "--function", "at", "--var"];
    says(&[&wide[..], &["i=0..4294967295"]].concat(), "", &["long long at(int j, unsigned i) {"]);
    says(&[&wide[..], &["i=0..1000"]].concat(), "", &["int at(int j, int i) {"]);
}

#[test]
fn builtins_of_cuda_are_no_parameters_and_keep_their_names() {
    let command = ["simplify", "blockIdx.x*256 + threadIdx.x", "--emit", "cuda", "--function", "at"];
    let ranges = ["--var", "blockIdx.x=0..99", "--var", "threadIdx.x=0..255"];
    says(&[&command[..], &ranges].concat(), "", &["int at() {\n  return (int)blockIdx.x * 256 + (int)threadIdx.x;"]);
}

#[test]
fn prepared_divisors_say_which_helper_prepares_which_value() {
    let command = ["simplify", "i//(h*w) + i//(w*3)", "--uniform", "h", "--uniform", "w", "--emit", "cuda"];
    let ranges = ["i=0..99999", "h=1..64", "w=1..64"].map(|range| ["--var", range]).concat();
    let host = "// host: w3_div = quaff_fastdivmod(w*3), h_w_div = quaff_fastdivmod_any(h*w)";
    says(&[&command[..], &ranges].concat(), "", &[host]);
}

#[test]
fn identities_without_a_rule_have_names_in_a_trace_and_an_explanation() {
    let trace = quaff(&["simplify", "(x//4)%3 + x//12*3", "--var", "x=0..99", "--trace"]).stderr;
    assert!(trace.contains("quotient-of-quotient: x//4//3  ->  x//12"), "{trace}");
    says(&["explain", "x%200", "--var", "x=0..99"], "", &["div-one-bucket", "(checked)"]);
}

#[test]
fn more_work_never_makes_an_answer_costlier() {
    let ranges = ["--var", "x=0..127", "--var", "y=0..63"];
    for expr in ["(x*3 + y*7 + x//5)%12//3 + (x%7)*(y%5)", "(x//4 + (y*5 + x)%24//8)%6*7", "min(x//3*2, y*3)%16//4"] {
        let costs = ["1", "2", "3"].map(|effort| cost(expr, &[&ranges[..], &["--effort", effort]].concat()));
        assert!(costs.is_sorted_by(|a, b| a >= b), "{expr}: {costs:?}");
    }
}

// Index types and banks

#[test]
fn an_unrolled_index_has_a_type_and_what_copies_share() {
    let wanted = ["type    {0, 1, 2, 3} + 1*(0..160)\n", "shared  x + i\n", "adds    0, 1, 2, 3\n"];
    says(&["types", "i + x", "--unroll", "i=0..64/4", "--var", "x=0..99"], "", &wanted);
    says(&["types", "i + j", "--unroll", "i=0..64/4", "--unroll", "j=0..8/2"], "", &["shared  i + j\n"]);
}

#[test]
fn products_of_unrolled_indices_keep_their_parts() {
    says(&["types", "i*j", "--unroll", "i=0..8/4", "--unroll", "j=0..8/2"], "", &["shared  i*j; i; j\n"]);
    let text = answered(&["types", "i*x", "--unroll", "i=0..64/4", "--var", "x=0..999"], "");
    assert!(text.contains("type    i*x + {0, 1, 2, 3}*x\n") && text.ends_with("3  i*x + x*3\n"), "{text}");
}

#[test]
fn remainders_of_copies_are_a_set_and_constants_are_constants() {
    says(&["types", "i%5", "--unroll", "i=16..48/8"], "", &["type    idx<0..5, 0..1>\n", "set     the copies have"]);
    says(&["types", "(i%3)*0", "--unroll", "i=0..9/3"], "", &["type    idx<0..1, 0..1>\n", "adds    0, 0, 0\n"]);
}

#[test]
fn integers_of_64_bits_are_an_index_type() {
    let all = "x=0..18446744073709551616/1";
    says(&["types", "x", "--unroll", all], "", &["type    idx<0..1, 0..18446744073709551616>\n"]);
}

#[test]
fn an_unroll_that_does_not_divide_has_a_rest() {
    let parts = ["i in 0..8 by 4:\ntype    idx<0..4, 0..2>\n", "i in 8..10 by 2:\ntype    idx<8..10, 0..1>\n"];
    says(&["types", "i", "--unroll", "i=0..10/4"], "", &parts);
}

#[test]
fn banks_of_several_dimensions_are_those_of_a_grid() {
    let command = ["types", "i, j", "--unroll", "i=0..8/4", "--unroll", "j=0..8/2", "--banks", "4x2"];
    says(&command, "", &["no conflict, always banks 0, 1, 2, 3, 4, 5, 6, 7\n"]);
    let rows = |shape: &str| {
        answered(&["banks", "--index", "t, k", "--shape", shape, "--lane", "t=0..31", "--var", "k=0..31"], "")
    };
    assert!(rows("32x33").starts_with("no bank conflict ") && rows("32x32").starts_with("32-way "));
}

// Views

#[test]
fn neighbouring_axes_merge_with_their_real_sizes() {
    says(&["view", "--merge", "(2, 2, 2):(4, 2, 1)"], "", &["merged      8:1 (8)\n", "cost 0"]);
    says(&["view", "--merge", "(2, 2, 2):(0, 0, 1)"], "", &["merged      4:0 (0), 2:1 (2)\n"]);
}

#[test]
fn views_are_read_as_they_are_printed() {
    let view = "(2, 6, 12):(12, 24, 1) - 24, mask (0, 2) (1, 5) (0, 12)";
    says(&["view", view], "", &[&format!("view        {view}\n"), "valid       i1 >= 1 and i1 < 5\n"]);
    says(&["view", "(2, 2, 2):(4, 2, 1) - 3"], "", &["reach       -3 to 4\n"]);
}

#[test]
fn a_reshape_of_repeated_axes_with_unknown_sizes_is_one_view() {
    let ranges = ["--var", "n=1..64", "--var", "m=1..64"];
    let command = [&["view", "shape(n, 1, m).expand(n, 4, m).reshape(n*4, m)"][..], &ranges].concat();
    says(&command, "", &["address     i1 + m*(i0//4)\n"]);
}

#[test]
fn axes_that_repeat_are_aligned_at_the_last_one() {
    says(&["view", "shape(2).expand(2, 2, 2)"], "", &["view        (2, 2, 2):(0, 0, 1)\n"]);
    refused(&["view", "shape(2).expand(3)"], "", &["only axes of size 1 are expanded", "reshape to an axis of size 1"]);
}

#[test]
fn a_view_reads_through_another_one() {
    says(&["view", "(6, 4):(1, 6) then (6):(4)"], "", &["view        (6):(1)\n"]);
}

// Schedules

#[test]
fn a_schedule_serves_all_blocks_by_threads_and_steps() {
    let command = ["coalesce", "i%64*64 + i//64 + pid", "--n", "256", "--uniform", "pid=0..7", "--threads", "64"];
    let wanted = ["pid + u + u//4*60", "int element(int t, int s) {", "for (int s = 0; s < 4; ++s) {"];
    says(&[&command[..], &["--verify"]].concat(), "", &wanted);
}

#[test]
fn the_first_schedule_is_the_best_by_the_measure_that_is_named() {
    let first = |by: &str| {
        let text = answered(&["coalesce", "3*(i%16) + 2*(i//16)", "--n", "256", "--by", by], "");
        let row = text.lines().skip_while(|l| !l.contains("sectors  lines")).nth(1).expect("a row");
        row.split_whitespace().take(4).map(String::from).collect::<Vec<_>>()
    };
    // for overlapping strides, the best schedules by gap and by sectors reach the optimum: a gap cost of 4, and 16
    // sectors
    assert_eq!(first("gap")[..2], ["4", "16"]);
    assert_eq!(first("sectors")[..2], ["4", "16"]);
    assert_eq!(first("cost")[3], "3");
    let help = ["there is no measure `wrong`", "fetches and cost, and sums such as `2*sectors + cost`"];
    refused(&["coalesce", "i", "--n", "256", "--by", "wrong"], "", &help);
}

#[test]
fn lines_that_steps_share_are_fetched_once() {
    let command = ["coalesce", "i%64*64 + i//64", "--n", "4096", "--threads", "128", "--by", "fetches"];
    says(
        &command,
        "",
        &["gap  sectors  lines  fetches  cost  index  schedule\n  0      512    128      128     0  u "],
    );
}

#[test]
fn schedules_of_sizes_that_are_no_powers_of_two_reach_the_optimum() {
    let text = answered(&["coalesce", "i%96*64 + i//96", "--n", "6144", "--verify"], "");
    assert!(text.contains("optimum: gap 0, 768 sectors") && text.contains("\n  0      768    192     0  u "), "{text}");
}

#[test]
fn functions_of_quotients_have_one_sum_with_symbols() {
    let command = ["canonical", "((2*x + 1)//3 + x//4)//5 + p", "--along", "x", "--uniform", "p"];
    says(&command, "", &["terms   11\n", "period  60, adds 11\n", "(x + 54)//60 + p\n"]);
    refused(&["canonical", "x + p"], "", &["the variables `x`, `p`, and one of them is needed", "`--along`"]);
}

// The same options for all commands

#[test]
fn every_command_that_simplifies_takes_the_same_options() {
    let shared =
        ["--rules", "--add-rules", "--trust-rules", "--effort", "--target", "--trace", "--verify", "--max-points"];
    for command in ["simplify", "access", "kernel", "view", "dims", "banks", "coalesce", "types"] {
        let help = answered(&[command, "--help"], "");
        shared.iter().for_each(|option| assert!(help.contains(&format!(" {option}")), "{command} lacks {option}"));
    }
}

#[test]
fn traces_and_checks_are_those_of_all_commands() {
    let conv = repository("examples/accesses/conv.json").display().to_string();
    let gemv = "equations = [\"thread = warp * lane\"]\nsizes = { thread = 256, lane = 32 }\nset = { thread = \"t\" }\n[[want]]\nget = [\"lane\"]\n";
    let search = [
        "--search", "--tile", "32x32", "--access", "k, t", "--access", "t, k", "--lane", "t=0..31", "--var", "k=0..31",
    ];
    let commands: [(Vec<&str>, &str, &str); 6] = [
        (vec!["access", "x%16//4", "--var", "x=0..99"], "", "cost 2 -> 2, saturated"),
        (vec!["kernel", &conv], "", "mod-recovery: "),
        (vec!["dims", "-"], gemv, "mod-recovery: t - t//32*32  ->  t%32\ncost 1 -> 1, saturated"),
        (vec!["types", "i//4*64 + i%4", "--unroll", "i=0..64/8"], "", "exact-quotient: i//4*64  ->  i*16"),
        ([&["banks"][..], &search].concat(), "", "div-one-bucket: t//32  ->  0"),
        (vec!["coalesce", "i%64*64 + i//64", "--n", "256"], "", "div-one-bucket: "),
    ];
    for (command, input, wanted) in commands {
        let run = quaff_with(&[&command[..], &["--trace", "--verify"]].concat(), input.as_bytes());
        assert!(run.code == 0 && run.stderr.contains(wanted), "{command:?}: {}\n{}", run.code, run.stderr);
        assert_eq!(run.stdout, answered(&command, input), "{command:?}");
    }
}

#[test]
fn a_wrong_rule_is_named_whatever_simplifies() {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = "(rule halves \"wrong\"\n  (match (// ?x 2))\n  (yield ?x))\n";
    std::fs::write(folder.path().join("own.rules"), rule).expect("written");
    let folder = folder.path().display().to_string();
    let dims = "equations = [\"thread = warp * lane\"]\nsizes = { thread = 64, lane = 2 }\nset = { thread = \"t\" }\n[[want]]\nget = [\"warp\"]\n";
    let tile = ["--search", "--tile", "32x32", "--lane", "t=0..31", "--access", "t//2, 0"];
    let commands: [(Vec<&str>, &str); 5] = [
        (vec!["access", "x//2", "--var", "x=0..99"], ""),
        (vec!["dims", "-"], dims),
        (vec!["types", "(x + i*2)//2", "--unroll", "i=0..64/8", "--var", "x=0..99"], ""),
        ([&["banks"][..], &tile].concat(), ""),
        (vec!["coalesce", "i//2", "--n", "64"], ""),
    ];
    for (command, input) in commands {
        let run = quaff_with(&[&command[..], &["--add-rules", &folder]].concat(), input.as_bytes());
        assert!(run.code == 65 && run.stderr.contains("halves"), "{command:?}: {}\n{}", run.code, run.stderr);
    }
}

#[test]
fn options_of_a_search_are_refused_where_nothing_is_searched() {
    for command in [
        &["banks", "t*32", "--lane", "t=0..31", "--trace"][..],
        &["coalesce", "t*32", "--lane", "t=0..31", "--target", "sm_80"],
    ] {
        assert_eq!(quaff(command).code, 64, "{command:?}");
    }
}
