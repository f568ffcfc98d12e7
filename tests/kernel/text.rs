//! The contents of kernel texts, by feature.

use quaff::Simplifier;
use quaff::expr::var;
use quaff::lower::Target;
use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, KernelText, Recorded, Transfer};

/// A kernel with 64 rows of `columns` elements and `lanes` lanes. The pointers have the given alignment, and `limit`
/// divides the parameter `n`.
fn rows(columns: i64, lanes: i64, alignment: i64, limit: Option<i64>) -> Result<KernelText, KernelError> {
    let mut dims = Dims::new();
    let (row, column, used) = (dims.dim("row", 64)?, dims.dim("column", columns)?, dims.dim("used", None)?);
    let (thread, lane) = (dims.dim("thread", 8)?, dims.dim("lane", lanes)?);
    let element = dims.dim_eq("element", (row, column))?;
    dims.eq(used, (thread, lane))?;
    let mut kernel = Kernel::new("rows", dims.init()?);
    let from = kernel.input("from", Element::F32)?.aligned(alignment);
    let to = kernel.output("to", Element::F32)?.aligned(alignment);
    let n = kernel.scalar("n", 0..=8 * lanes)?;
    if let Some(modulus) = limit {
        kernel.multiple("n", modulus)?;
    }
    kernel.body(|b| {
        b.bind(row, "r", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x")?;
        // a row is longer than the part that the threads use, so the index of the column is set explicitly
        let at = var("t") * lanes;
        b.expr("first", at.clone());
        b.loop_over(lane, "l", Unroll::Full, |b| {
            let at = b.indices().get_raw(used)?;
            b.frame(|b| {
                b.set(column, at)?;
                b.index("at", element)?;
                b.code("touch($at);")
            })
        })?;
        b.guard(var("r").lt(64), |b| b.code("always();"))?;
        b.guard(var("t").lt(n.clone()), |b| {
            b.transfer(&Transfer::new((&to, used), (&from, used), lane).below(used, n.clone()).or_zero())
        })
    })?;
    kernel.emit()
}

#[test]
fn vectors_need_proofs() -> Result<(), KernelError> {
    let good = rows(40, 4, 16, None)?;
    assert_eq!(good.accesses[0].to_string(), "to <- from: float4");
    assert_eq!(good.source.matches("float4").count(), 2, "{}", good.source);
    // the end may cut a vector
    assert!(good.source.contains("first + 3 < n") && good.source.contains("to[to_at] = 0;"), "{}", good.source);

    let even = rows(40, 4, 16, Some(4))?;
    assert!(!even.source.contains("first + 3") && even.source.contains("= float4{};"), "{}", even.source);

    let unaligned = rows(40, 4, 8, None)?;
    assert_eq!(unaligned.accesses[0].to_string(), "to <- from: 2 float2");
    let unaligned = rows(40, 4, 4, None)?;
    assert_eq!(
        unaligned.accesses[0].to_string(),
        "to <- from: 4 single elements, as `to` is not known to start at a multiple of 16 bytes; \
         `from` is not known to start at a multiple of 16 bytes"
    );
    let three = rows(40, 3, 16, None)?;
    assert!(three.accesses[0].reasons[0] == "there is no vector of 3 float", "{}", three.accesses[0]);
    assert!(!three.source.contains("reinterpret_cast"));
    Ok(())
}

#[test]
fn guards_that_always_hold_and_loops_of_one_trip_vanish() -> Result<(), KernelError> {
    let text = rows(40, 4, 16, None)?.source;
    assert!(text.contains("\n  always();"), "{text}");
    assert!(text.contains("if (t < n) {"), "{text}");
    let text = rows(40, 1, 16, None)?.source;
    assert!(!text.contains("for ("), "{text}");
    assert!(text.contains("touch(r * 40 + t);"), "{text}");
    Ok(())
}

/// A kernel with one dimension and two loops, in which `body` records the statements.
fn with(body: impl FnOnce(&mut quaff_fronts::kernel::Block<'_>) -> Recorded) -> Result<KernelText, KernelError> {
    let mut dims = Dims::new();
    let (block, inner) = (dims.dim("block", 1 << 20)?, dims.dim("inner", 48)?);
    let outer = dims.dim("outer", 3000)?;
    dims.dim_eq("all", (block, outer, inner))?;
    let mut kernel = Kernel::new("test", dims.init()?);
    kernel.scalar("width", 1..=1000)?;
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.loop_over(outer, "i", Unroll::By(4), |b| b.loop_over(inner, "j", Unroll::By(1), body))
    })?;
    kernel.emit()
}

#[test]
fn what_a_loop_does_not_change_is_outside() -> Result<(), KernelError> {
    let text = with(|b| {
        b.expr("x", (var("b") * 7 + var("i") * 48 + var("j")) / 5 + var("i") % 7);
        b.code("use($x);\nuse($x);")
    })?;
    let lines: Vec<&str> = text.source.lines().map(str::trim).collect();
    let at = |part: &str| lines.iter().position(|l| l.contains(part)).unwrap_or_else(|| panic!("{part}\n{lines:#?}"));
    let (outer, inner) = (at("++i"), at("++j"));
    assert!(at("b * 7") < outer, "{}", text.source);
    assert!((outer..inner).contains(&at("i * 53")), "{}", text.source);
    assert!(at("const int x =") > inner, "{}", text.source);
    assert_eq!(lines[outer - 1], "#pragma unroll 4");
    assert_eq!(lines[inner - 1], "#pragma unroll 1");
    Ok(())
}

#[test]
fn wide_indices_are_long() -> Result<(), KernelError> {
    let text = with(|b| {
        let all = b.indices().dim_named("all").unwrap();
        b.index("all", all)
    })?;
    assert!(text.source.contains("const long long all ="), "{}", text.source);
    assert!(text.source.contains("(long long)b * 144000"), "{}", text.source);
    Ok(())
}

#[test]
fn divisions_by_parameters_are_prepared() -> Result<(), KernelError> {
    let text = with(|b| {
        b.expr("row", var("b") / var("width"));
        b.code("use($row);")
    })?;
    assert_eq!(text.contract.divisors[0].setup(), "quaff_fastdivmod_any(width)");
    assert!(text.source.contains("const int width, const quaff_fastdivmod_t width_div) {"), "{}", text.source);
    assert!(text.host.contains("quaff_fastdivmod_any"));
    Ok(())
}

#[test]
fn values_from_memory_are_known_where_they_are_loaded() -> Result<(), KernelError> {
    let text = with(|b| {
        b.expr("entry", var("i") * 2);
        let page = b.value("page", "table[$entry]", 0..=99)?;
        b.expr("at", page * 16 + var("j"));
        b.code("use($at, $page);")
    })?;
    let source = &text.source;
    let place = |part: &str| source.find(part).unwrap_or_else(|| panic!("{part}\n{source}"));
    assert!(place("const int page = table[entry];") < place("use(j + page * 16, page);"));
    assert!(place("const int entry = i * 2;") < place("++j"));
    Ok(())
}

#[test]
fn names_and_placeholders_are_checked() {
    let error = |body: fn(&mut quaff_fronts::kernel::Block<'_>) -> Recorded| with(body).unwrap_err().to_string();
    assert_eq!(error(|b| b.code("use($k);")), "`$k` is not known here, in `use($k);`");
    assert_eq!(error(|b| b.code("a[$|m|]")), "`$|m|` is not known here, in `a[$|m|]`");
    assert!(error(|b| b.value("for", "1", 0..=1).map(drop)).contains("no identifier, or reserved"));
    assert!(error(|b| b.value("width", "1", 0..=1).map(drop)).contains("taken"));
    let unknown = error(|b| {
        b.expr("x", var("nobody"));
        b.code("$x")
    });
    assert_eq!(unknown, "the variable `nobody` is not declared");
}

#[test]
fn temporaries_avoid_names_in_code() -> Result<(), KernelError> {
    let text = with(|b| {
        b.code("float t0 = 0, t1 = 1;")?;
        b.expr("hidden", (var("b") + var("i")) / 3);
        b.expr("y", (var("b") + var("i")) / 3 + var("j") * ((var("b") + var("i")) / 3));
        b.code("use($y, $y);")
    })?;
    assert!(!text.source.contains("int t0 =") && !text.source.contains("int t1 ="), "{}", text.source);
    Ok(())
}

fn ask(b: &mut quaff_fronts::kernel::Block<'_>, name: &str, value: quaff::expr::Expr) -> Recorded {
    b.expr(name, value);
    Ok(())
}

/// The name that the error is about, and the reason of the error.
fn refused(result: Result<KernelText, KernelError>) -> (String, &'static str) {
    match result.unwrap_err() {
        KernelError::Name { name, reason } => (name.to_string(), reason),
        other => panic!("{other}"),
    }
}

#[test]
fn names_that_the_text_declares_are_checked() {
    let none = "it is no identifier, or reserved";
    let here = "something else has it here";
    let asked = |name: &str| refused(with(|b| ask(b, name, var("b") + 1)));
    for name in ["for", "a b", "", "x{}", "int4", "threadIdx", "quaff_x", "x\n*/", "True", "NULL"] {
        assert_eq!(asked(name), (name.to_string(), none));
    }
    // loop variables, parameters, variables of the kernel and earlier requested names are visible
    for name in ["i", "j", "width", "b"] {
        assert_eq!(asked(name), (name.to_string(), here));
    }
    let twice = with(|b| {
        b.expr("x", var("b") + 1);
        b.guard(var("j").lt(7), |b| ask(b, "x", var("j")))
    });
    assert_eq!(refused(twice), ("x".into(), here));
    let later = with(|b| {
        b.expr("x", var("b") + 1);
        b.registers("x", Element::F32, 4).map(drop)
    });
    assert_eq!(refused(later), ("x".into(), here));
    let kernel = |name: &str| Kernel::new(name, Dims::new().init()?).emit();
    for name in ["for", "my kernel{}", "", "main", "__launch"] {
        assert_eq!(refused(kernel(name)), (name.to_string(), none));
    }
    assert!(kernel("fine").is_ok());
}

#[test]
fn a_name_may_stand_for_what_it_stands_for_already() -> Result<(), KernelError> {
    let text = with(|b| {
        b.expr("i", var("i"));
        b.expr("x", var("b") * 7 + var("i"));
        b.expr("x", var("b") * 7 + var("i"));
        b.guard(var("j").lt(7), |b| ask(b, "y", var("j") + 1))?;
        b.guard(var("j").ge(9), |b| ask(b, "y", var("j") - 1))
    })?
    .source;
    assert_eq!(text.matches("const int x =").count(), 1, "{text}");
    assert_eq!(text.matches("const int y =").count(), 2, "{text}");
    Ok(())
}

/// A loop-invariant value is computed before the loop. Its name must differ from the names of all variables in the
/// loop.
#[test]
fn no_temporary_has_the_name_of_a_variable() -> Result<(), KernelError> {
    let mut dims = Dims::new();
    let (thread, outer) = (dims.dim("thread", 64)?, dims.dim("outer", 5)?);
    let mut kernel = Kernel::new("k", dims.init()?);
    kernel.body(|b| {
        b.bind(thread, "t", "threadIdx.x\n")?;
        b.expr("i", var("t") / 5);
        b.code("use($i);")?;
        // no index uses the loop variable
        b.loop_over(outer, "i", Unroll::Auto, |b| {
            b.expr("y", var("t") / 5 * 3);
            b.code("use($y + $i);")
        })
    })?;
    let text = kernel.emit()?.source;
    assert!(text.contains("for (int i = 0;") && !text.contains("const int i ="), "{text}");
    assert_eq!(text.lines().next(), Some("// threadIdx.x < 64"));
    Ok(())
}

#[test]
fn raw_text_has_declared_variables_only() -> Result<(), KernelError> {
    let mut kernel = Kernel::new("k", Dims::new().init()?);
    kernel.body(|b| ask(b, "x", var("nobody; evil()") + 1))?;
    assert_eq!(kernel.emit_raw().unwrap_err().to_string(), "the variable `nobody; evil()` is not declared");
    Ok(())
}

/// The text of a kernel uses the instruction forms of the target of its simplifier.
#[test]
fn a_kernel_is_spelled_for_its_target() -> Result<(), KernelError> {
    let text = |target: Target| {
        let mut dims = Dims::new();
        let (x, y) = (dims.dim("x", 64)?, dims.dim("y", 1024)?);
        let mut kernel = Kernel::new("spelled", dims.init()?);
        kernel = kernel.with_simplifier(Simplifier::default().for_target(target));
        kernel.body(|b| {
            b.bind(x, "x", "blockIdx.x")?;
            b.bind(y, "y", "threadIdx.x")?;
            b.expr("at", var("y") - var("x") * 8);
            b.code("use($at);")
        })?;
        Ok::<String, KernelError>(kernel.emit()?.source)
    };
    let (plain, hopper) = (text(Target::PLAIN)?, text(Target::SM_90)?);
    assert!(plain.contains("use(y - x * 8);"), "{plain}");
    assert!(hopper.contains("use(y + x * -8);"), "{hopper}");
    assert_eq!(text(Target { negative_factors: false, ..Target::SM_90 })?, plain);
    Ok(())
}
