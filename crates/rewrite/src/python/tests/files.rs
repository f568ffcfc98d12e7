//! Tests of whole files: several kernels, kernels in strings of Inductor's code, syntax errors, and large files.

use super::{check, range, reasons, uses};
use crate::options::Options;
use crate::python::find::functions;
use crate::python::{kernels, read};
use crate::{Language, rewrite};
use quaff::Simplifier;

const KERNEL: &str = "@triton.jit\ndef copy(p, n):\n    i = tl.program_id(0) * 4\n    tl.store(p + i * n, 0)\n";

fn all(text: &str) -> Vec<crate::model::Kernel> {
    let found = kernels(text, &Options::default());
    found.iter().for_each(|kernel| check(kernel, text));
    found
}

#[test]
fn decorated_functions_are_kernels() {
    let text = format!(
        "import triton\n\ndef host(a, b):\n    return a[b * 4 + 1]\n\n{KERNEL}\n\
         @triton.autotune(configs=[], key=['n'])\n@triton.jit\ndef second(p, n):\n    tl.store(p + n // 2, 0)\n\n\
         @triton.heuristics({{}})\n@triton.jit(do_not_specialize=['n'])\ndef third(p, n):\n    tl.store(p + n // 3, 0)\n\n\
         class A:\n    @jit\n    def fourth(p, n):\n        tl.store(p + n // 4, 0)\n\n\
         @functools.cache\ndef other(p, n):\n    tl.store(p + n // 4, 0)\n"
    );
    let found = all(&text);
    let names: Vec<_> = found.iter().map(|k| k.name.as_str()).collect();
    assert_eq!(names, ["copy", "second", "third", "fourth"]);
    assert!(found.iter().all(|k| uses(k).len() == 1));
}

#[test]
fn strings_of_inductor_are_kernels() {
    let text = format!(
        "import triton\ntriton_a = async_compile.triton('triton_a', '''\nimport triton\n{KERNEL}''', device_str='cuda')\n"
    );
    let found = all(&text);
    assert_eq!(found.len(), 1);
    assert_eq!(&text[found[0].sites[0].span.clone()], "tl.program_id(0) * 4");
    assert!(text[found[0].sites[1].place.start..].starts_with("tl.store(p + i * n"));
    let escaped = text.replace("import triton\n@", "x = '\\n'\n@");
    assert!(all(&escaped).is_empty(), "a string with escapes is not its text");
    assert!(all(&text.replace("async_compile.triton", "print")).is_empty());
}

#[test]
fn lines_may_end_and_begin_with_other_characters() {
    let plain = uses(&all(KERNEL)[0]);
    assert_eq!(plain, ["address i*n"]);
    let crlf = KERNEL.replace('\n', "\r\n");
    assert_eq!(uses(&all(&crlf)[0]), plain);
    let tabs = KERNEL.replace("    ", "\t");
    assert_eq!(uses(&all(&tabs)[0]), plain);
    assert_eq!(uses(&all(&format!("# größe\n{KERNEL}"))[0]), plain);
}

#[test]
fn a_kernel_with_an_error_is_left_out_and_others_are_not() {
    let broken = "@triton.jit\ndef broken(p, n):\n    tl.store(p + (n * , 0)\n\n";
    let text = format!("{broken}{KERNEL}");
    let found = kernels(&text, &Options::default());
    let left_out: Vec<_> = found.iter().filter(|k| k.name == "broken").collect();
    assert_eq!(left_out.len(), 1);
    assert!(left_out[0].sites.is_empty());
    assert_eq!(reasons(left_out[0]), ["its syntax has an error"]);
    let text = format!("{KERNEL}\n{broken}");
    let found = kernels(&text, &Options::default());
    assert_eq!(uses(&found[0]), ["address i*n"]);
    assert_eq!(found.len(), 2);
}

#[test]
fn deep_syntax_is_left_out() {
    let deep = |levels: usize| {
        format!(
            "@triton.jit\ndef deep(p, n):\n    tl.store(p + {}n // 2{}, 0)\n",
            "(".repeat(levels),
            ")".repeat(levels)
        )
    };
    assert_eq!(all(&deep(200))[0].sites.len(), 1);
    for levels in [600, 50_000] {
        let text = format!("{}\n{KERNEL}", deep(levels));
        let found = all(&text);
        assert_eq!(reasons(&found[0]), ["its syntax has too many levels"]);
        assert_eq!(found[1].name, "copy");
    }
    let blocks: String = (1..260).map(|level| format!("{}if n // 2 > 0:\n", " ".repeat(level))).collect();
    let text = format!("@triton.jit\ndef deep(p, n):\n{blocks}{}pass\n", " ".repeat(260));
    assert_eq!(reasons(&all(&text)[0]), ["its syntax has too many levels"]);
}

#[test]
fn of_many_comments_the_first_are_read() {
    let notes: String = (0..30_000).map(|_| "    # größe\n\n").collect();
    let body =
        KERNEL.replace("    i = tl", &format!("    # quaff: n in 1..64\n{notes}    # quaff: n in 1..8\n    i = tl"));
    let found = all(&body);
    assert_eq!(uses(&found[0]), ["address i*n"]);
    assert_eq!(range(&found[0], "n"), "1..64");
    assert!(body[found[0].sites[0].span.clone()].starts_with("tl.program_id"));
}

fn rewritten(body: &str) -> String {
    let text = super::source("p, n, B: tl.constexpr", body);
    let found = rewrite(&text, Language::Triton, &Options::default(), &Simplifier::default()).unwrap();
    found.text.lines().skip(2).map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn a_new_text_has_the_axes_of_the_old_one() {
    let body = "# quaff: n in 1..64, B in 1..1024\ni = tl.arange(0, B)\ntl.store(p + (i * 6 // 6 + n), 0)\n";
    assert_eq!(rewritten(body), body.replace("(i * 6 // 6 + n)", "(n + i)"));
    let body = "# quaff: n in 1..64, B in 1..1024\ni = tl.arange(0, B)\ntl.store(p + (i // (B * 2) + n * 6 // 6), 0)\n";
    let text = rewritten(body).replace(' ', "");
    assert!(text.contains("i//(B*2)"), "it is 0, and makes `n` a tensor: {text}");
}

#[test]
fn masks_stay_truth_values() {
    let body = "# quaff: n in 1..64, B in 1..1024\ni = tl.arange(0, B)\nm = i < n\ntl.store(p + (i * 6 // 6), 0, mask=m & (i * 6 // 6 >= 2))\n";
    let text = rewritten(body);
    assert!(text.contains("p + i, 0"), "{text}");
    assert!(!text.contains("where"), "{text}");
}

/// The number of visits of nodes in a kernel with `lines` lines.
fn visits(lines: usize) -> (usize, usize) {
    let mut text = String::from(
        "@triton.jit\ndef long(p, n, B: tl.constexpr):\n    x0 = tl.program_id(0) * B + tl.arange(0, B)\n",
    );
    for line in (1..lines).step_by(4) {
        let before = (line / 4).saturating_sub(1);
        let at = line / 4;
        text.push_str(&format!("    x{at} = x{before} % {at} + n // {line}\n").replace("x0 = x0", "y0 = x0"));
        text.push_str(&format!("    m{at} = (x{at} < n) & (x{before} >= 0)\n"));
        text.push_str(&format!("    ptr{at} = p + x{at}[:, None] * n\n"));
        text.push_str(&format!("    v{at} = tl.load(ptr{at} + {at}, mask=m{at}[:, None])\n"));
    }
    let found = functions(&text).remove(0);
    let tree = found.tree.unwrap();
    let kernel = read(found.name, found.span, &tree, Vec::new(), &Options::default());
    check(&kernel, &text);
    (kernel.sites.len(), tree.visits.get())
}

#[test]
fn work_grows_with_the_text() {
    let (few, work) = visits(2_500);
    let (many, more_work) = visits(10_000);
    assert!(few > 1_800 && many.abs_diff(4 * few) < 20, "{few} {many}");
    assert!(more_work < 5 * work, "{work} {more_work}");
}
