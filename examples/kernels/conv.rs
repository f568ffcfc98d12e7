//! Convolution as a matrix product. Tiles of the im2col matrix are gathered into shared memory, and the whole matrix
//! never exists.

use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError};

/// The sizes of a convolution in NHWC layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The number of images.
    pub(crate) images: i64,
    /// The height and width of an image.
    pub(crate) input: [i64; 2],
    /// The number of input channels.
    pub(crate) channels: i64,
    /// The height and width of the filter.
    pub(crate) filter: [i64; 2],
    /// The number of output channels.
    pub(crate) filters: i64,
    /// The step between output pixels.
    pub(crate) stride: i64,
    /// The number of zeros on each side of the input.
    pub(crate) padding: i64,
    /// The step between filter taps.
    pub(crate) dilation: i64,
}

/// A convolution of a usual size with stride, padding and dilation, which make its indices hard.
pub(crate) const LARGE: Shape =
    Shape { images: 8, input: [56, 56], channels: 48, filter: [3, 3], filters: 64, stride: 2, padding: 2, dilation: 2 };

impl Shape {
    /// The height and width of the output.
    pub(crate) fn output(&self) -> [i64; 2] {
        let extent = |i: usize| {
            let span = self.input[i] + 2 * self.padding - self.dilation * (self.filter[i] - 1) - 1;
            span.div_euclid(self.stride) + 1
        };
        [extent(0), extent(1)]
    }
}

/// `out[pixel, f] = sum over (y, x, c) of in[n, oy*stride - padding + y*dilation, ..., c] * weights[(y, x, c), f]`.
pub(crate) fn kernel(shape: Shape) -> Result<Kernel, KernelError> {
    let mut dims = Dims::new();
    let [height, width] = shape.output();
    let (image, channel) = (dims.dim("image", shape.images)?, dims.dim("channel", shape.channels)?);
    let (in_y, in_x) = (dims.dim("in_y", shape.input[0])?, dims.dim("in_x", shape.input[1])?);
    let (out_y, out_x) = (dims.dim("out_y", height)?, dims.dim("out_x", width)?);
    let (tap_y, tap_x) = (dims.dim("tap_y", shape.filter[0])?, dims.dim("tap_x", shape.filter[1])?);
    let filter = dims.dim("filter", shape.filters)?;
    // the matrix product: pixels by taps, taps by filters
    let pixel = dims.dim_eq("pixel", (image, out_y, out_x))?;
    let tap = dims.dim_eq("tap", (tap_y, tap_x, channel))?;
    let input = dims.dim_eq("input", (image, in_y, in_x, channel))?;
    let (weight, output) = (dims.dim_eq("weight", (tap, filter))?, dims.dim_eq("output", (pixel, filter))?);
    // the tiles of the matrix product
    let (block_p, block_f, step) = (dims.dim("block_p", None)?, dims.dim("block_f", None)?, dims.dim("step", None)?);
    let (tile_p, tile_f, tile_t) = (dims.dim("tile_p", 16)?, dims.dim("tile_f", 16)?, dims.dim("tile_t", 16)?);
    dims.eq(pixel, (block_p, tile_p))?;
    dims.eq(filter, (block_f, tile_f))?;
    dims.eq(tap, (step, tile_t))?;
    let columns = dims.dim_eq("columns", (tile_p, tile_t))?;
    let weights = dims.dim_eq("weights", (tile_t, tile_f))?;
    let thread = dims.dim("thread", None)?;
    let [gather, load, compute] = [
        (dims.new_scope("gather")?, tile_p, tile_t),
        (dims.new_scope("load")?, tile_t, tile_f),
        (dims.new_scope("compute")?, tile_p, tile_f),
    ]
    .map(|(scope, major, minor)| dims.scope(scope)?.eq(thread, (major, minor)).map(|_| scope));
    let (gather, load, compute) = (gather?, load?, compute?);

    let mut kernel = Kernel::new("conv", dims.init()?);
    kernel.input("in", Element::F32)?;
    kernel.input("weight", Element::F32)?;
    kernel.output("out", Element::F32)?;
    kernel.body(|body| {
        body.bind(block_p, "by", "blockIdx.y")?;
        body.bind(block_f, "bx", "blockIdx.x")?;
        body.bind(thread, "t", "threadIdx.x")?;
        let lengths = [body.indices().size(columns)?, body.indices().size(weights)?];
        body.shared("cols", Element::F32, lengths[0])?;
        body.shared("taps", Element::F32, lengths[1])?;
        body.code("float sum = 0.f;")?;
        body.loop_over(step, "s", Unroll::By(1), |body| {
            body.scope(gather, |body| {
                // the position of the tap in the padded image, which may be outside of the image
                let at = |out, tap| {
                    let (out, tap) = (body.indices().get_raw(out)?, body.indices().get_raw(tap)?);
                    Ok::<_, KernelError>(out * shape.stride + tap * shape.dilation - shape.padding)
                };
                let (y, x) = (at(out_y, tap_y)?, at(out_x, tap_x)?);
                let [rows, pixels] = shape.input;
                let inside = y.ge(0).and(y.lt(rows)).and(x.ge(0)).and(x.lt(pixels));
                body.expr("inside", inside.clone());
                // the code below checks this condition
                body.assume(inside);
                body.set(in_y, y)?;
                body.set(in_x, x)?;
                body.index("from", input)?;
                body.index("to", columns)?;
                body.code("cols[$to] = $inside ? in[$from] : 0.f;")
            })?;
            body.scope(load, |body| {
                body.index("from", weight)?;
                body.index("to", weights)?;
                body.code("taps[$to] = weight[$from];")
            })?;
            body.sync();
            body.scope(compute, |body| {
                body.loop_over(tile_t, "k", Unroll::Full, |body| {
                    body.index("col", columns)?;
                    body.index("tap", weights)?;
                    body.code("sum += cols[$col] * taps[$tap];")
                })
            })?;
            body.sync();
            Ok(())
        })?;
        body.scope(compute, |body| {
            body.index("result", output)?;
            body.code("out[$result] = sum;")
        })
    })?;
    Ok(kernel)
}
