//! Random programs. The size of an axis is a product of factors, or at most such a product. Statements copy elements,
//! count visits of elements, and load indices.

use quaff_fronts::dims::Unroll;
use quaff_fronts::kernel::Element;
use std::collections::BTreeSet;

/// The number of values in a table, which is also the size of the axis that these values index.
pub(super) const PAGES: i64 = 6;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from[(((self.0 >> 33) * from.len() as u64) >> 31) as usize].clone()
    }

    /// Returns true in one of `n` cases.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        let all: Vec<usize> = (0..n).collect();
        self.pick(&all) == 0
    }

    /// The items in a random order.
    pub(super) fn shuffled<T: Clone>(&mut self, mut items: Vec<T>) -> Vec<T> {
        let mut out = Vec::with_capacity(items.len());
        while !items.is_empty() {
            let all: Vec<usize> = (0..items.len()).collect();
            out.push(items.swap_remove(self.pick(&all)));
        }
        out
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Block,
    Thread,
    Loop,
    Lanes,
}

#[derive(Clone, Debug)]
pub(super) struct Factor {
    pub(super) kind: Kind,
    /// The size of the factor. `None` if it follows from the size of the axis and the other factors.
    pub(super) size: Option<i64>,
}

#[derive(Clone, Debug)]
pub(super) enum Size {
    Number(i64),
    RunTime { step: i64, steps: i64 },
}

#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) size: Size,
    /// Whether the factors only cover the axis: their product may exceed the size of the axis.
    pub(super) covered: bool,
    /// The factors, the most significant first. Empty for an axis whose index is loaded.
    pub(super) factors: Vec<Factor>,
    /// The first factor of a dimension that consists of this factor and all later factors.
    pub(super) chunk: Option<usize>,
}

/// A digit of the mixed-radix index into a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Digit {
    Axis(usize),
    Factor(usize, usize),
    Stride(i64),
}

/// The use of a buffer by the kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    From,
    To,
    /// The kernel increments an element of the buffer for each visit.
    Counts,
    /// The kernel loads the index of an axis from this buffer.
    Table,
}

#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) role: Role,
    pub(super) element: Element,
    /// The alignment of the buffer that the kernel states.
    pub(super) aligned: Option<i64>,
    pub(super) digits: Vec<Digit>,
}

/// A buffer that holds the elements of a copy temporarily.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) shared: bool,
    pub(super) digits: Vec<Digit>,
}

/// The upper end with which a guard compares an index of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Number(i64),
    /// The value of the scalar parameter.
    Scalar,
}

#[derive(Clone, Debug)]
pub(super) struct Copied {
    pub(super) to: usize,
    pub(super) from: usize,
    pub(super) lanes: Option<(usize, usize)>,
    pub(super) below: Vec<(usize, End)>,
    pub(super) zero: bool,
    pub(super) tile: Option<Tile>,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Loop {
        at: (usize, usize),
        unroll: Unroll,
        body: Vec<Statement>,
    },
    Vector {
        at: (usize, usize),
        body: Vec<Statement>,
    },
    /// Runs the body if the index of the axis, modulo a number, is below the end.
    Guard {
        axis: usize,
        modulus: i64,
        end: End,
        body: Vec<Statement>,
    },
    Inside {
        axes: Vec<usize>,
        body: Vec<Statement>,
    },
    /// Loads the index of an axis from a table.
    Load {
        table: usize,
        axis: usize,
        body: Vec<Statement>,
    },
    /// Sets the index of an axis to the index of another axis plus a number. The body runs if the sum is inside of the
    /// axis.
    Set {
        axis: usize,
        from: usize,
        plus: i64,
        body: Vec<Statement>,
    },
    Visit {
        counts: usize,
    },
    Copy(Copied),
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) axes: Vec<Axis>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) body: Vec<Statement>,
    /// Whether one number counts all blocks, and whether one number counts all threads.
    pub(super) flat: [bool; 2],
    pub(super) digit_alignment: bool,
    /// Two factors of threads with the same thread index. Each is given by its axis and its position in this axis.
    pub(super) same: Option<[(usize, usize); 2]>,
    /// Whether the equations of the axes are in a scope.
    pub(super) scoped: bool,
    /// The sizes of the axes for each run of the kernel, with the value of the scalar parameter.
    pub(super) runs: Vec<(Vec<i64>, i64)>,
}

impl Axis {
    fn known(&self) -> i64 {
        self.factors.iter().filter_map(|f| f.size).product()
    }

    /// The sizes of the factors if the size of the axis is `size`.
    pub(super) fn factor_sizes(&self, size: i64) -> Vec<i64> {
        let open = (size + self.known() - 1) / self.known();
        self.factors.iter().map(|f| f.size.unwrap_or(open)).collect()
    }

    fn random(random: &mut Random, most: u32) -> Axis {
        let lanes = random.pick(&[&[][..], &[], &[4], &[4], &[4], &[2], &[8], &[3], &[2, 2], &[16]]);
        let mut factors = vec![];
        let mut add = |kind: Kind, size: i64| factors.push(Factor { kind, size: Some(size) });
        random.pick(&[None, Some(1), Some(2), Some(3)]).into_iter().for_each(|size| add(Kind::Block, size));
        random.pick(&[&[][..], &[1], &[2], &[3], &[2, 3]]).iter().for_each(|&size| add(Kind::Loop, size));
        random.pick(&[None, Some(1), Some(2), Some(4), Some(5)]).into_iter().for_each(|size| add(Kind::Thread, size));
        if factors.is_empty() {
            factors.push(Factor { kind: Kind::Loop, size: Some(3) });
        }
        factors.extend(lanes.iter().map(|&size| Factor { kind: Kind::Lanes, size: Some(size) }));
        if random.once_in(6) {
            factors = random.shuffled(factors);
        }
        let covered = !random.once_in(3);
        let solved = factors.iter().position(|f| matches!(f.kind, Kind::Block | Kind::Loop));
        let is_run_time = solved.is_some() && random.once_in(2);
        if let Some(solved) = solved.filter(|_| is_run_time || random.once_in(2)) {
            factors[solved].size = None;
        }
        let all: Vec<usize> = (1..factors.len()).collect();
        let chunk = if random.once_in(4) && factors.len() > 2 { Some(random.pick(&all)) } else { None };
        // the equation of the chunk needs factors with known sizes
        let chunk = chunk.filter(|&at| factors[at..].iter().all(|f| f.size.is_some()));
        let mut axis = Axis { size: Size::Number(1), covered, factors, chunk };
        axis.size = axis.random_size(random, is_run_time, most);
        axis
    }

    fn random_size(&self, random: &mut Random, is_run_time: bool, most: u32) -> Size {
        let is_open = self.factors.iter().any(|f| f.size.is_none());
        if is_run_time {
            let step =
                if self.covered { random.pick(&[1, 1, 1, 2, 4, 8, 24]) } else { self.known() * random.pick(&[1, 2]) };
            return Size::RunTime { step, steps: random.pick(&[40, 1 << 10, 1 << most]) };
        }
        Size::Number(match (self.covered, is_open) {
            (false, false) => self.known(),
            (false, true) => self.known() * random.pick(&[1, 2, 3]),
            (true, true) => random.pick(&[1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 32, 33, 48]),
            (true, false) => {
                let all: Vec<i64> = (0..self.known()).collect();
                self.known() - random.pick(&all[..all.len().min(9)])
            }
        })
    }
}

impl Program {
    pub(super) fn random(seed: u64) -> Program {
        let mut random = Random(seed.wrapping_mul(7919).wrapping_add(12345));
        loop {
            let count = random.pick(&[1, 1, 2, 2, 2, 3]);
            let has_pages = random.once_in(3);
            // the products of indices must fit into 64 bits
            let most = if count == 1 && !has_pages { 36 } else { 24 / count };
            let mut axes: Vec<Axis> = (0..count).map(|_| Axis::random(&mut random, most)).collect();
            if has_pages {
                axes.push(Axis { size: Size::Number(PAGES), covered: false, factors: vec![], chunk: None });
            }
            let runs: Vec<(Vec<i64>, i64)> = (0..3)
                .map(|_| {
                    let size = |axis: &Axis, random: &mut Random| match axis.size {
                        Size::Number(n) => n,
                        Size::RunTime { step, .. } => step * random.pick(&[1, 1, 2, 3, 4, 5, 7, 11]),
                    };
                    (axes.iter().map(|axis| size(axis, &mut random)).collect(), random.pick(&[0, 1, 5, 17, 50]))
                })
                .collect();
            let work = |sizes: &Vec<i64>| -> i64 {
                axes.iter().zip(sizes).map(|(axis, &n)| axis.factor_sizes(n).iter().product::<i64>().max(n)).product()
            };
            if runs.iter().any(|(sizes, _)| work(sizes) > 3000) {
                continue;
            }
            let any = [random.once_in(3), random.once_in(3), random.once_in(4), random.once_in(4)];
            let [flat_blocks, flat_threads, digit_alignment, scoped] = any;
            let same = Program::same_threads(&axes).filter(|_| random.once_in(3));
            let mut maker = Maker { random: &mut random, axes: &axes, same, buffers: vec![] };
            let body = maker.block(&Place::start(&axes));
            let buffers = maker.buffers;
            return Program {
                axes,
                buffers,
                body,
                flat: [flat_blocks, flat_threads],
                digit_alignment,
                same,
                scoped,
                runs,
            };
        }
    }
}

impl Program {
    /// Two axes with the same number of threads, if there are any.
    fn same_threads(axes: &[Axis]) -> Option<[(usize, usize); 2]> {
        let threads = |a: usize| {
            let f = axes[a].factors.iter().position(|f| f.kind == Kind::Thread)?;
            Some((a, f, axes[a].factors[f].size))
        };
        let all: Vec<_> = (0..axes.len()).filter_map(threads).collect();
        let pairs = all.windows(2).filter(|pair| pair[0].2 == pair[1].2);
        pairs.map(|pair| [(pair[0].0, pair[0].1), (pair[1].0, pair[1].1)]).next()
    }
}

/// The state at a place of a program, at which statements can be added.
#[derive(Clone)]
struct Place {
    /// The factors of loops and lanes around which no loop or vector is open yet.
    open: BTreeSet<(usize, usize)>,
    /// The factors of lanes around which a vector is open.
    vectors: BTreeSet<(usize, usize)>,
    /// The axes whose index is loaded.
    loaded: BTreeSet<usize>,
    /// Whether all threads reach this place.
    uniform: bool,
    depth: usize,
}

impl Place {
    fn start(axes: &[Axis]) -> Place {
        let all = axes.iter().enumerate().flat_map(|(a, axis)| {
            let is_open = |kind: Kind| matches!(kind, Kind::Loop | Kind::Lanes);
            axis.factors.iter().enumerate().filter(move |(_, f)| is_open(f.kind)).map(move |(f, _)| (a, f))
        });
        let (vectors, loaded) = (BTreeSet::new(), BTreeSet::new());
        Place { open: all.collect(), vectors, loaded, uniform: true, depth: 0 }
    }
}

struct Maker<'a> {
    random: &'a mut Random,
    axes: &'a [Axis],
    same: Option<[(usize, usize); 2]>,
    buffers: Vec<Buffer>,
}

impl Maker<'_> {
    fn kind(&self, (a, f): (usize, usize)) -> Kind {
        self.axes[a].factors[f].kind
    }

    /// The axes with known indices, if a copy runs along `lanes`.
    fn known(&self, place: &Place, lanes: Option<(usize, usize)>) -> Vec<usize> {
        let is_known = |&a: &usize| match self.axes[a].factors.is_empty() {
            true => place.loaded.contains(&a),
            false => place.open.iter().all(|&at| at.0 != a || Some(at) == lanes),
        };
        (0..self.axes.len()).filter(is_known).collect()
    }

    /// The axes with known indices on which no open vector depends.
    fn still(&self, place: &Place) -> Vec<usize> {
        let known = self.known(place, None).into_iter();
        known.filter(|a| place.vectors.iter().all(|at| at.0 != *a)).collect()
    }

    fn end(&mut self) -> End {
        self.random.pick(&[End::Scalar, End::Number(1), End::Number(3), End::Number(4), End::Number(10)])
    }

    fn block(&mut self, place: &Place) -> Vec<Statement> {
        let mut out = vec![];
        if self.random.once_in(3) {
            out.extend(self.leaf(place));
        }
        let inner = Place { depth: place.depth + 1, ..place.clone() };
        let (still, known) = (self.still(place), self.known(place, None));
        let pages = (0..self.axes.len()).find(|a| self.axes[*a].factors.is_empty() && !place.loaded.contains(a));
        match self.random.pick(&[0, 0, 0, 0, 0, 1, 2, 3, 4, 4]) {
            1 if place.depth < 9 && !still.is_empty() => {
                let (axis, modulus, end) = (self.random.pick(&still), self.random.pick(&[2, 5, 1000]), self.end());
                let body = self.block(&Place { uniform: false, ..inner.clone() });
                out.push(Statement::Guard { axis, modulus, end, body });
            }
            2 if place.depth < 9 && !known.is_empty() && (place.vectors.is_empty() || self.random.once_in(4)) => {
                let mut axes = self.random.shuffled(known);
                axes.truncate(self.random.pick(&[1, 1, 2]));
                out.push(Statement::Inside { axes, body: self.block(&Place { uniform: false, ..inner.clone() }) });
            }
            3 if let (Some(axis), false) = (pages, still.is_empty()) => {
                let table = self.buffer(Role::Table, Element::I32, still);
                let mut inner = Place { uniform: false, ..inner.clone() };
                inner.loaded.insert(axis);
                out.push(Statement::Load { table, axis, body: self.block(&inner) });
            }
            4 if let (Some(axis), false) = (pages, still.is_empty()) => {
                let (from, plus) = (self.random.pick(&still), self.random.pick(&[0, 1, 3]));
                let mut inner = Place { uniform: false, ..inner.clone() };
                inner.loaded.insert(axis);
                out.push(Statement::Set { axis, from, plus, body: self.block(&inner) });
            }
            _ => match self.entered(&inner) {
                Some(entered) => out.push(entered),
                None => out.extend(self.leaf(place)),
            },
        }
        // sometimes a statement follows that opens one more loop or vector
        if place.depth < 4 && self.random.once_in(5) {
            out.extend(self.entered(&inner));
        }
        out
    }

    /// A statement that opens a loop or a vector.
    fn entered(&mut self, inner: &Place) -> Option<Statement> {
        let open: Vec<(usize, usize)> = inner.open.iter().copied().collect();
        let loops: Vec<_> = open.iter().copied().filter(|&at| self.kind(at) == Kind::Loop).collect();
        // usually loops are opened before lanes
        let from = if loops.is_empty() || self.random.once_in(6) { open } else { loops };
        if from.is_empty() || (from.len() == 1 && self.kind(from[0]) == Kind::Lanes && self.random.once_in(2)) {
            return None;
        }
        let at = self.random.pick(&from);
        let mut inner = inner.clone();
        inner.open.remove(&at);
        if self.kind(at) == Kind::Lanes && !self.random.once_in(4) {
            // usually the lanes are opened as a vector, and otherwise as a loop
            inner.vectors.insert(at);
            return Some(Statement::Vector { at, body: self.block(&inner) });
        }
        let is_number = self.axes[at.0].factors[at.1].size.is_some();
        let unroll = self.random.pick(&[Unroll::Auto, Unroll::By(2), Unroll::Full]);
        let unroll = if is_number { unroll } else { Unroll::Auto };
        Some(Statement::Loop { at, unroll, body: self.block(&inner) })
    }

    fn leaf(&mut self, place: &Place) -> Option<Statement> {
        let lanes: Vec<_> = place.open.iter().copied().filter(|&at| self.kind(at) == Kind::Lanes).collect();
        let lanes = if lanes.is_empty() || self.random.once_in(6) { None } else { Some(self.random.pick(&lanes)) };
        let known = self.known(place, None);
        let with_lanes = self.known(place, lanes);
        match self.random.pick(&[0, 1, 1]) {
            0 if !known.is_empty() => Some(Statement::Visit { counts: self.buffer(Role::Counts, Element::I32, known) }),
            _ if !with_lanes.is_empty() => Some(Statement::Copy(self.copied(place, lanes, with_lanes))),
            _ => None,
        }
    }

    fn copied(&mut self, place: &Place, lanes: Option<(usize, usize)>, known: Vec<usize>) -> Copied {
        let all = [Element::F32, Element::F32, Element::F64, Element::I32, Element::I16, Element::U8, Element::I64];
        let element = self.random.pick(&all);
        let other = if self.random.once_in(10) { self.random.pick(&all) } else { element };
        let to = self.buffer(Role::To, element, known);
        let axes = self.axes_of(to);
        let from = self.buffer(Role::From, other, axes.clone());
        let mut zero = self.random.once_in(2);
        let below = if self.random.once_in(3) { vec![(self.random.pick(&axes), self.end())] } else { vec![] };
        let tile = if self.random.once_in(4) { self.tile(place, lanes, &axes) } else { None };
        zero |= tile.is_some();
        Copied { to, from, lanes, below, zero, tile }
    }

    fn axes_of(&self, buffer: usize) -> Vec<usize> {
        let axis = |digit: &Digit| if let Digit::Axis(a) = digit { Some(*a) } else { None };
        self.buffers[buffer].digits.iter().filter_map(axis).collect()
    }

    /// An array with room for all elements that a thread, or all threads of a block, copy at a time.
    fn tile(&mut self, place: &Place, lanes: Option<(usize, usize)>, axes: &[usize]) -> Option<Tile> {
        let shared = place.uniform && self.random.once_in(2);
        let mut digits = vec![];
        for (a, axis) in self.axes.iter().enumerate() {
            for (f, factor) in axis.factors.iter().enumerate() {
                let at = (a, f);
                let moves = axes.contains(&a) && (Some(at) == lanes || place.vectors.contains(&at));
                let is_same = self.same.is_some_and(|[_, same]| same == at);
                if moves || (factor.kind == Kind::Thread && shared && !is_same) {
                    digits.push(Digit::Factor(a, f));
                }
            }
        }
        if self.random.once_in(4) {
            digits = self.random.shuffled(digits);
        }
        (!digits.is_empty()).then_some(Tile { shared, digits })
    }

    /// Adds a buffer over some of the axes, and returns its number.
    fn buffer(&mut self, role: Role, element: Element, axes: Vec<usize>) -> usize {
        let count = axes.len();
        let ordered = self.random.once_in(2);
        let mut axes = if ordered { axes } else { self.random.shuffled(axes) };
        axes.truncate(self.random.pick(&[count, count, count.div_ceil(2)]));
        if !self.random.once_in(4) {
            // lanes are neighbours if they belong to the last axis
            axes.sort_by_key(|&a| self.axes[a].factors.iter().any(|f| f.kind == Kind::Lanes));
        }
        let mut digits: Vec<Digit> = axes.into_iter().map(Digit::Axis).collect();
        if self.random.once_in(10) {
            digits.push(Digit::Stride(self.random.pick(&[2, 3])));
        }
        let aligned = self.random.pick(&[None, Some(16), Some(16), Some(16), Some(8), Some(64)]);
        self.buffers.push(Buffer { role, element, aligned, digits });
        self.buffers.len() - 1
    }
}
