//! Copies: the lanes that become vectors, and faults that random programs found.

use crate::compiled::{accesses, run};
use quaff::expr::{Expr, var};
use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, KernelText, Recorded, Transfer};

/// A kernel in which each thread copies neighbouring lanes.
fn rows(threads: i64, lanes: &[i64], element: Element, aligned: i64) -> Result<KernelText, KernelError> {
    let mut dims = Dims::new();
    let (thread, row) = (dims.dim("thread", threads)?, dims.dim("row", lanes[0])?);
    let lane = dims.dim("lane", lanes[1..].iter().product::<i64>())?;
    let at = dims.dim_eq("at", (thread, row, lane))?;
    let mut kernel = Kernel::new("rows", dims.init()?);
    let from = kernel.input("from", element)?.aligned(aligned);
    let to = kernel.output("to", element)?.aligned(aligned);
    kernel.body(|b| {
        b.bind(thread, "t", "threadIdx.x")?;
        // the lanes of the surrounding vector, and the lanes of the transfer
        b.vectorize(row, lanes[0], |b| b.transfer(&Transfer::new((&to, at), (&from, at), lane)))
    })?;
    let text = kernel.emit()?;
    let (count, ty) = (threads * lanes.iter().product::<i64>(), element.c_name());
    let main = format!(
        "int main() {{
           ArrayOf<{ty}> from({count}), to({count});
           from.fill(5);
           launch(dim3(1), dim3({threads}), [&] {{ rows(from, to); }});
           for (int i = 0; i < {count}; ++i) expect(to[i], from[i]);
           return right();
         }}"
    );
    let name = format!("transfer_{threads}_{lanes:?}_{}_{aligned}", element.bytes()).replace([' ', ',', '[', ']'], "");
    run(&name, &text.source, &main);
    Ok(text)
}

#[test]
fn vectors_cover_what_they_can() -> Result<(), KernelError> {
    let report = |threads: i64, lanes: &[i64], element: Element, aligned: i64| {
        Ok::<String, KernelError>(accesses(&rows(threads, lanes, element, aligned)?).concat())
    };
    assert_eq!(report(8, &[1, 8], Element::F32, 16)?, "to <- from: 2 float4");
    assert_eq!(report(8, &[2, 4], Element::F32, 16)?, "to <- from: 2 float4");
    assert_eq!(report(8, &[2, 4], Element::F32, 8)?, "to <- from: 4 float2");
    assert_eq!(report(8, &[1, 16], Element::U8, 16)?, "to <- from: uint4");
    assert_eq!(report(8, &[1, 6], Element::F32, 16)?, "to <- from: 3 float2");
    assert_eq!(
        report(1, &[1, 7], Element::F32, 16)?,
        "to <- from: float4, float2, 1 single element, as there is no vector of 7 float"
    );
    let text = rows(8, &[1, 8], Element::F32, 16)?.source;
    assert!(text.contains("*reinterpret_cast<float4*>(&to[to_at]) ="), "{text}");
    assert!(text.contains("*reinterpret_cast<float4*>(&to[to_at_2]) ="), "{text}");
    Ok(())
}

/// A transfer inside of a vector copies all lanes of the vector, and not only the first lane.
#[test]
fn a_transfer_covers_the_vector_around_it() -> Result<(), KernelError> {
    assert_eq!(accesses(&rows(8, &[4, 1], Element::F32, 16)?), ["to <- from: float4"]);
    Ok(())
}

/// `N <= block * thread * lane`, as a copy that writes zeros for elements that a limit excludes.
fn zeros(lanes: i64) -> Result<KernelText, KernelError> {
    let mut dims = Dims::new();
    let n = dims.run_time("N", 1..=1 << 20, 1)?;
    let (block, thread, lane) = (dims.dim("block", None)?, dims.dim("thread", 8)?, dims.dim("lane", lanes)?);
    dims.covered(n, (block, thread, lane))?;
    let mut kernel = Kernel::new("zeros", dims.init()?);
    let from = kernel.input("from", Element::F32)?.aligned(16);
    let to = kernel.output("to", Element::F32)?.aligned(16);
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x")?;
        b.transfer(&Transfer::new((&to, n), (&from, n), lane).below(n, 21).or_zero())
    })?;
    kernel.emit()
}

/// Zeros are written for elements of the buffer that a limit excludes, but not beyond the end of the buffer.
#[test]
fn no_zero_is_written_behind_the_end() -> Result<(), KernelError> {
    for lanes in [1, 4] {
        let text = zeros(lanes)?.source;
        let main = format!(
            "int main() {{
               for (int n : {{1, 7, 20, 21, 30, 64, 65}}) {{
                 Array from(n), to(n);
                 from.count();
                 launch(dim3((n + {each} - 1) / {each}), dim3(8), [&] {{ zeros(from, to, n); }});
                 for (int i = 0; i < n; ++i) expect(to[i], i < 21 ? from[i] : 0);
               }}
               return right();
             }}",
            each = 8 * lanes
        );
        run(&format!("zeros{lanes}"), &text, &main);
    }
    Ok(())
}

/// Two bytes are copied as one `unsigned short`. Its zero is not written as `unsigned short{}`, which is invalid C++.
#[test]
fn zeros_of_small_elements_compile() -> Result<(), KernelError> {
    let mut dims = Dims::new();
    let (thread, lane) = (dims.dim("thread", 8)?, dims.dim("lane", 2)?);
    let at = dims.dim_eq("at", (thread, lane))?;
    let mut kernel = Kernel::new("bytes", dims.init()?);
    let from = kernel.input("from", Element::U8)?.aligned(2);
    let to = kernel.output("to", Element::U8)?.aligned(2);
    kernel.body(|b| {
        b.bind(thread, "t", "threadIdx.x")?;
        b.transfer(&Transfer::new((&to, at), (&from, at), lane).below(thread, 5).or_zero())
    })?;
    let text = kernel.emit()?;
    assert_eq!(accesses(&text), ["to <- from: unsigned short"]);
    let main = "int main() {
        ArrayOf<unsigned char> from(16), to(16);
        from.count();
        launch(dim3(1), dim3(8), [&] { bytes(from, to); });
        for (int i = 0; i < 16; ++i) expect(to[i], i < 10 ? i : 0);
        return right();
      }";
    run("bytes", &text.source, main);
    Ok(())
}

/// If `n` is even, `i*2 + j < n` has the same value for all `j` in `0..2`. The simplified condition must not contain
/// the variable of another loop, which has no value there.
#[test]
fn a_condition_has_the_variables_of_its_own_loops() -> Result<(), KernelError> {
    let mut dims = Dims::new();
    let (_, outer, inner) = (dims.run_time("n", 8..=800, 8)?, dims.dim("outer", 8)?, dims.dim("inner", 3)?);
    let (block, lanes, more) = (dims.dim("block", 99)?, dims.dim("lanes", 8)?, dims.dim("more", 8)?);
    let mut kernel = Kernel::new("k", dims.init()?);
    kernel.parameter("int*", "sum")?;
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        let row = |lane: &str| var("i") * 4 + (var(lane) % 2 * 2 + var(lane) / 4);
        let column = |lane: &str| var("b") * 6 + var("j") * 2 + var(lane) / 2 % 2;
        b.loop_over(outer, "i", Unroll::Auto, |b| {
            b.loop_over(inner, "j", Unroll::By(2), |b| {
                let mut add = |dim, lane: &str, condition: Expr, at: Expr| -> Recorded {
                    b.loop_over(dim, lane, Unroll::Full, |b| {
                        b.guard(condition, |b| {
                            b.expr("at", at);
                            b.code("sum[0] += $at;")
                        })
                    })
                };
                let inside = |lane: &str| row(lane).lt(31).and(column(lane).lt(var("n")));
                add(lanes, "k", inside("k"), row("k") * (var("n") * 2) + column("k") * 2)?;
                add(more, "l", column("l").lt(1).and(inside("l")), column("l") * 2)
            })
        })
    })?;
    let main = "int main() {
        for (int n : {8, 16, 64}) {
          Ints sum(1);
          sum[0] = 0;
          long long wanted = 0;
          launch(dim3(9), dim3(1), [&] { k(sum, n); });
          for (int b = 0; b < 9; ++b) for (int i = 0; i < 8; ++i) for (int j = 0; j < 3; ++j) for (int k = 0; k < 8; ++k) {
            const int row = i * 4 + (k % 2 * 2 + k / 4), column = b * 6 + j * 2 + k / 2 % 2;
            if (row < 31 && column < n) wanted += row * (n * 2) + column * 2;
            if (row < 31 && column < 1) wanted += column * 2;
          }
          expect(sum[0], wanted);
        }
        return right();
      }";
    run("own_variables", &kernel.emit()?.source, main);
    run("own_variables_raw", &kernel.emit_raw()?, main);
    Ok(())
}

/// The index `at` is `n*3`, and `n` has size 1, so the index reads as 0. It is in its range only for the one thread
/// whose index is below the size of `n`.
#[test]
fn an_index_that_reads_as_zero_has_an_end() -> Result<(), KernelError> {
    let mut dims = Dims::new();
    let (n, thread) = (dims.dim("n", 1)?, dims.dim("thread", 3)?);
    dims.covered(n, thread)?;
    let at = dims.dim_eq("at", (n, 3))?;
    let mut kernel = Kernel::new("k", dims.init()?);
    kernel.output("x", Element::F32)?;
    kernel.body(|b| {
        b.bind(thread, "t", "threadIdx.x")?;
        b.inside(&[at], |b| {
            b.index("at", at)?;
            b.code("x[$at] += 1;")
        })
    })?;
    let text = kernel.emit()?.source;
    assert!(text.contains("if (t < 1) {"), "{text}");
    Ok(())
}
