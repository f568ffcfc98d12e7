//! An interpreter of programs: it executes each statement for each element.

use super::program::{Buffer, Copied, Digit, End, Kind, PAGES, Program, Role, Statement};
use super::record::grid;
use std::collections::BTreeSet;

impl Role {
    /// The initial values of a buffer, as `(a, b, c)`: element `i` is `(i*7 + a)%b + c`.
    pub(super) fn before(self, number: usize) -> (i64, i64, i64) {
        match self {
            Role::From => (number as i64 * 3, 101, 1),
            Role::To => (0, 1, 111),
            Role::Counts => (0, 1, 0),
            Role::Table => (3, PAGES, 0),
        }
    }
}

/// A run of a program.
pub(super) struct Run<'a> {
    program: &'a Program,
    sizes: &'a [i64],
    scalar: i64,
    factors: Vec<Vec<i64>>,
    /// The values in the buffers.
    pub(super) buffers: Vec<Vec<i64>>,
    at: Vec<Vec<i64>>,
    loaded: Vec<i64>,
    vectors: Vec<(usize, usize)>,
}

impl<'a> Run<'a> {
    pub(super) fn new(program: &'a Program, (sizes, scalar): &'a (Vec<i64>, i64)) -> Run<'a> {
        let factors: Vec<Vec<i64>> = program.axes.iter().zip(sizes).map(|(axis, &n)| axis.factor_sizes(n)).collect();
        let at = factors.iter().map(|sizes| vec![0; sizes.len()]).collect();
        let (loaded, vectors) = (vec![0; sizes.len()], vec![]);
        let mut run = Run { program, sizes, scalar: *scalar, factors, buffers: vec![], at, loaded, vectors };
        for (number, buffer) in program.buffers.iter().enumerate() {
            let (first, modulus, least) = buffer.role.before(number);
            run.buffers.push((0..run.length(buffer)).map(|i| (i * 7 + first) % modulus + least).collect());
        }
        run
    }

    fn length(&self, buffer: &Buffer) -> i64 {
        buffer.digits.iter().map(|digit| self.size(digit)).product()
    }

    fn size(&self, digit: &Digit) -> i64 {
        match *digit {
            Digit::Axis(a) => self.sizes[a],
            Digit::Factor(a, f) => self.factors[a][f],
            Digit::Stride(n) => n,
        }
    }

    /// The numbers of blocks, or of threads, in each direction.
    pub(super) fn launch(&self, kind: Kind) -> [i64; 3] {
        let mut out = [1; 3];
        for (a, f) in grid(self.program, kind) {
            out[if self.program.flat[usize::from(kind == Kind::Thread)] { 0 } else { a }] *= self.factors[a][f];
        }
        out
    }

    /// Executes the program.
    pub(super) fn run(&mut self) {
        let program = self.program;
        let all: Vec<(usize, usize)> = grid(program, Kind::Block).chain(grid(program, Kind::Thread)).collect();
        self.each(&all, &mut |run| run.block(&program.body));
    }

    /// Runs `body` for each combination of indices of the factors.
    fn each(&mut self, factors: &[(usize, usize)], body: &mut dyn FnMut(&mut Run<'a>)) {
        let Some((&(a, f), rest)) = factors.split_first() else { return body(self) };
        for index in 0..self.factors[a][f] {
            self.at[a][f] = index;
            if let Some([_, (b, g)]) = self.program.same.filter(|[first, _]| *first == (a, f)) {
                self.at[b][g] = index;
            }
            self.each(rest, body);
        }
    }

    fn block(&mut self, body: &'a [Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn index(&self, axis: usize) -> i64 {
        let digits = self.at[axis].iter().zip(&self.factors[axis]);
        if self.program.axes[axis].factors.is_empty() {
            return self.loaded[axis];
        }
        digits.fold(0, |index, (digit, size)| index * size + digit)
    }

    fn end(&self, end: End) -> i64 {
        match end {
            End::Number(n) => n,
            End::Scalar => self.scalar,
        }
    }

    /// The position of an element in a buffer at the current indices. `None` if the index of an axis is outside of its
    /// range.
    fn element(&self, buffer: usize) -> Option<usize> {
        let mut at = 0;
        for digit in &self.program.buffers[buffer].digits {
            let index = match *digit {
                Digit::Axis(a) => self.index(a),
                Digit::Factor(a, f) => self.at[a][f],
                Digit::Stride(_) => 0,
            };
            if index >= self.size(digit) {
                return None;
            }
            at = at * self.size(digit) + index;
        }
        Some(at as usize)
    }

    /// The lanes of those open vectors on which the indices of the buffers, or of the axes `below`, depend.
    fn lanes(&self, buffers: &[usize], below: &[usize]) -> Vec<(usize, usize)> {
        let digits = buffers.iter().flat_map(|&b| &self.program.buffers[b].digits);
        let axes: BTreeSet<usize> =
            digits.filter_map(|digit| if let Digit::Axis(a) = digit { Some(*a) } else { None }).collect();
        let moves = |a: usize| axes.contains(&a) || below.contains(&a);
        self.vectors.iter().copied().filter(|(a, _)| moves(*a)).collect()
    }

    fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Loop { at, body, .. } => self.each(&[*at], &mut |run| run.block(body)),
            Statement::Vector { at, body } => {
                self.vectors.push(*at);
                self.block(body);
                self.vectors.pop();
            }
            Statement::Guard { axis, modulus, end, body } => {
                if self.index(*axis) % modulus < self.end(*end) {
                    self.block(body);
                }
            }
            Statement::Inside { axes, body } => self.inside(axes, body),
            Statement::Load { table, axis, body } => {
                if let Some(at) = self.element(*table) {
                    self.loaded[*axis] = self.buffers[*table][at];
                    self.block(body);
                }
            }
            Statement::Set { axis, from, plus, body } => {
                let index = self.index(*from) + plus;
                if index < self.sizes[*axis] {
                    self.loaded[*axis] = index;
                    self.block(body);
                }
            }
            Statement::Visit { counts } => {
                let lanes = self.lanes(&[*counts], &[]);
                self.each(&lanes, &mut |run| {
                    if let Some(at) = run.element(*counts) {
                        run.buffers[*counts][at] += 1;
                    }
                });
            }
            Statement::Copy(copied) => {
                let below: Vec<usize> = copied.below.iter().map(|(axis, _)| *axis).collect();
                let lanes = self.lanes(&[copied.to, copied.from], &below);
                let all: Vec<(usize, usize)> = lanes.into_iter().chain(copied.lanes).collect();
                self.each(&all, &mut |run| run.copy(copied));
            }
        }
    }

    /// Runs `body` if the indices of all axes are in their ranges for all lanes.
    fn inside(&mut self, axes: &[usize], body: &'a [Statement]) {
        let lanes: Vec<_> = self.vectors.iter().copied().filter(|(a, _)| axes.contains(a)).collect();
        let mut inside = true;
        self.each(&lanes, &mut |run| inside &= axes.iter().all(|&a| run.index(a) < run.sizes[a]));
        if inside {
            self.block(body);
        }
    }

    fn copy(&mut self, copied: &Copied) {
        let Some(to) = self.element(copied.to) else { return };
        let is_below = copied.below.iter().all(|&(axis, end)| self.index(axis) < self.end(end));
        match self.element(copied.from).filter(|_| is_below) {
            Some(from) => self.buffers[copied.to][to] = self.buffers[copied.from][from],
            None if copied.zero => self.buffers[copied.to][to] = 0,
            None => {}
        }
    }
}
