//! Average pooling that reads channels-first images and writes channels-last images. The input is a transposed and
//! padded view. So the kernel indexes the input like the output, and has no code for the border.

use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError};
use quaff_fronts::view::ViewStack;

/// The sizes of a pooling with a window of 3 by 3 and steps of 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) images: i64,
    pub(crate) channels: i64,
    /// The height and width of an image, which are even.
    pub(crate) input: [i64; 2],
}

/// The number of threads of a block.
const THREADS: i64 = 128;

/// `out[n, y, x, c] = sum over taps of in[n, c, 2*y - 1 + ty, 2*x - 1 + tx] / 9`, in which elements outside of the
/// image are 0.
pub(crate) fn kernel(shape: Shape) -> Result<Kernel, KernelError> {
    let [rows, pixels] = shape.input;
    let input = ViewStack::row_major([shape.images, shape.channels, rows, pixels])?;
    let padded = input.permute(&[0, 2, 3, 1])?.pad([(0, 0), (1, 1), (1, 1), (0, 0)])?;

    let mut dims = Dims::new();
    let axes = padded.dims(&mut dims, &["image", "in_y", "in_x", "channel"])?;
    let (image, in_y, in_x, channel) = (axes[0], axes[1], axes[2], axes[3]);
    let (out_y, out_x) = (dims.dim("out_y", rows >> 1)?, dims.dim("out_x", pixels >> 1)?);
    let (tap_y, tap_x) = (dims.dim("tap_y", 3)?, dims.dim("tap_x", 3)?);
    let output = dims.dim_eq("output", (image, out_y, out_x, channel))?;
    let (block, thread) = (dims.dim("block", None)?, dims.dim("thread", THREADS)?);
    dims.eq(output, (block, thread))?;

    let mut kernel = Kernel::new("pool", dims.init()?);
    let from = kernel.input("in", Element::F32)?;
    kernel.output("out", Element::F32)?;
    kernel.body(|body| {
        body.bind(block, "b", "blockIdx.x")?;
        body.bind(thread, "t", "threadIdx.x")?;
        body.code("float sum = 0.f;")?;
        body.loop_over(tap_y, "r", Unroll::Full, |body| {
            body.loop_over(tap_x, "s", Unroll::Full, |body| {
                for (position, out, tap) in [(in_y, out_y, tap_y), (in_x, out_x, tap_x)] {
                    let at = body.indices().get_raw(out)? * 2 + body.indices().get_raw(tap)?;
                    body.set(position, at)?;
                }
                body.load("value", &from, &padded, &axes)?;
                body.code("sum += $value;")
            })
        })?;
        body.index("to", output)?;
        body.code("out[$to] = sum / 9.f;")
    })?;
    Ok(kernel)
}
