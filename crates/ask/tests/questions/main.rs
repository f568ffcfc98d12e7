//! Questions against brute force: no answer claims more than is true at all points.

mod axes;
mod brute;
mod ends;
mod image;
mod inverses;
mod iters;
mod lanes;
mod maps;
mod parts;
mod ranges;
mod strides;
mod support;
mod when;
