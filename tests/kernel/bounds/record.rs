//! Records a random program of `program.rs` as a kernel of the library.

use super::program::{Copied, Digit, End, Kind, PAGES, Program, Role, Size, Statement};
use quaff::expr::{Expr, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, Options, Scope, Term};
use quaff_fronts::kernel::{Block, Buffer, Kernel, KernelError, Recorded, Transfer};

/// The dimensions of a program.
struct Declared {
    axes: Vec<Dim>,
    factors: Vec<Vec<Dim>>,
    buffers: Vec<Dim>,
    /// One dimension for each copy with a tile, in the order of the program.
    tiles: Vec<Dim>,
    flat: [Option<Dim>; 2],
    scope: Option<Scope>,
}

fn side(digits: &[Digit], axes: &[Dim], factors: &[Vec<Dim>]) -> Vec<Term> {
    let term = |digit: &Digit| match *digit {
        Digit::Axis(a) => axes[a].into(),
        Digit::Factor(a, f) => factors[a][f].into(),
        Digit::Stride(n) => n.into(),
    };
    digits.iter().map(term).collect()
}

impl Statement {
    /// The statements inside of this statement.
    fn body(&self) -> &[Statement] {
        match self {
            Statement::Copy(_) | Statement::Visit { .. } => &[],
            Statement::Loop { body, .. }
            | Statement::Vector { body, .. }
            | Statement::Guard { body, .. }
            | Statement::Inside { body, .. }
            | Statement::Load { body, .. }
            | Statement::Set { body, .. } => body,
        }
    }
}

/// All copies in the statements, in the order of the text.
fn copies(body: &[Statement]) -> Vec<&Copied> {
    let mut out = vec![];
    for statement in body {
        if let Statement::Copy(copied) = statement {
            out.push(copied);
        }
        out.extend(copies(statement.body()));
    }
    out
}

fn declared(program: &Program) -> Result<(Dims, Declared), DimsError> {
    let mut dims = Dims::with_options(Options { digit_alignment: program.digit_alignment, ..Options::default() });
    let scope = if program.scoped { Some(dims.new_scope("here")?) } else { None };
    let (mut axes, mut factors) = (vec![], vec![]);
    for (a, axis) in program.axes.iter().enumerate() {
        axes.push(match axis.size {
            Size::Number(n) => dims.dim(&format!("n{a}"), n)?,
            Size::RunTime { step, steps } => dims.run_time(&format!("n{a}"), step..=step * steps, step)?,
        });
        let own = axis.factors.iter().enumerate();
        let own = own.map(|(f, factor)| dims.dim(&format!("f{a}_{f}"), factor.size));
        factors.push(own.collect::<Result<Vec<Dim>, _>>()?);
    }
    if let Some([(a, f), (b, g)]) = program.same {
        factors[b][g] = factors[a][f];
    }
    for (a, axis) in program.axes.iter().enumerate().filter(|(_, axis)| !axis.factors.is_empty()) {
        let mut terms: Vec<Term> = factors[a].iter().copied().map(Term::from).collect();
        if let Some(at) = axis.chunk {
            let chunk = terms.split_off(at);
            terms.push(dims.dim_eq(&format!("chunk{a}"), chunk)?.into());
        }
        let scope = scope.unwrap_or_else(|| dims.root());
        let mut dims = dims.scope(scope)?;
        match axis.covered {
            true => dims.covered(axes[a], terms)?,
            false => dims.eq(axes[a], terms)?,
        };
    }
    let mut buffers = vec![];
    for (i, buffer) in program.buffers.iter().enumerate() {
        buffers.push(dims.dim_eq(&format!("at{i}"), side(&buffer.digits, &axes, &factors))?);
    }
    let mut tiles = vec![];
    for (i, copied) in copies(&program.body).iter().enumerate() {
        let digits = copied.tile.iter().flat_map(|tile| side(&tile.digits, &axes, &factors));
        let digits: Vec<Term> = std::iter::once(Term::Int(1)).chain(digits).collect();
        tiles.push(dims.dim_eq(&format!("tile{i}"), digits)?);
    }
    let mut flat = [None, None];
    for (flat, (kind, name)) in flat.iter_mut().zip([(Kind::Block, "blocks"), (Kind::Thread, "threads")]) {
        let all = grid(program, kind).map(|(a, f)| Term::from(factors[a][f])).collect::<Vec<_>>();
        if program.flat[usize::from(kind == Kind::Thread)] && !all.is_empty() {
            *flat = Some(dims.dim_eq(name, all)?);
        }
    }
    Ok((dims, Declared { axes, factors, buffers, tiles, flat, scope }))
}

/// The factors whose index is a block index, or a thread index, according to `kind`.
pub(super) fn grid(program: &Program, kind: Kind) -> impl Iterator<Item = (usize, usize)> {
    let axes = program.axes.iter().enumerate();
    let all = axes.filter_map(move |(a, axis)| Some((a, axis.factors.iter().position(|f| f.kind == kind)?)));
    all.filter(|&at| program.same.is_none_or(|[_, same]| same != at))
}

/// The kernel of a program.
pub(super) fn kernel(program: &Program, name: &str) -> Result<Kernel, KernelError> {
    let (mut dims, declared) = declared(program)?;
    let mut kernel = Kernel::new(name, dims.init()?);
    let mut buffers = vec![];
    for (i, buffer) in program.buffers.iter().enumerate() {
        let name = format!("p{i}");
        let made = match buffer.role {
            Role::From | Role::Table => kernel.input(&name, buffer.element)?,
            Role::To | Role::Counts => kernel.output(&name, buffer.element)?,
        };
        buffers.push(buffer.aligned.map_or(made.clone(), |bytes| made.aligned(bytes)));
    }
    kernel.scalar("n", 0..=50)?;
    kernel.body(|b| {
        for (kind, flat) in [(Kind::Block, 0), (Kind::Thread, 1)] {
            let builtin = if flat == 0 { "blockIdx" } else { "threadIdx" };
            if let Some(dim) = declared.flat[flat] {
                b.bind(dim, &format!("all_{builtin}"), &format!("{builtin}.x"))?;
                continue;
            }
            for (a, f) in grid(program, kind) {
                let letter = ["x", "y", "z"][a];
                b.bind(declared.factors[a][f], &format!("{builtin}_{letter}"), &format!("{builtin}.{letter}"))?;
            }
        }
        let mut writer =
            Writer { program, declared: &declared, buffers: &buffers, loads: 0, copies: 0, vectors: vec![] };
        match declared.scope {
            Some(scope) => b.scope(scope, |b| writer.block(b, &program.body)),
            None => writer.block(b, &program.body),
        }
    })?;
    Ok(kernel)
}

struct Writer<'a> {
    program: &'a Program,
    declared: &'a Declared,
    buffers: &'a [Buffer],
    loads: usize,
    copies: usize,
    vectors: Vec<(usize, usize)>,
}

impl Writer<'_> {
    fn end(end: End) -> Expr {
        match end {
            End::Number(n) => n.into(),
            End::Scalar => var("n"),
        }
    }

    fn block(&mut self, b: &mut Block<'_>, body: &[Statement]) -> Recorded {
        body.iter().try_for_each(|statement| self.statement(b, statement))
    }

    fn statement(&mut self, b: &mut Block<'_>, statement: &Statement) -> Recorded {
        let declared = self.declared;
        match statement {
            Statement::Loop { at: (a, f), unroll, body } => {
                b.loop_over(declared.factors[*a][*f], &format!("i{a}_{f}"), *unroll, |b| self.block(b, body))
            }
            Statement::Vector { at: (a, f), body } => {
                let lanes = self.size_of(&Digit::Factor(*a, *f));
                self.vectors.push((*a, *f));
                b.vectorize(declared.factors[*a][*f], lanes, |b| self.block(b, body))?;
                self.vectors.pop();
                Ok(())
            }
            Statement::Guard { axis, modulus, end, body } => {
                let index = b.indices().get_raw(declared.axes[*axis])?;
                b.guard((index % *modulus).lt(Self::end(*end)), |b| self.block(b, body))
            }
            Statement::Inside { axes, body } => {
                let dims: Vec<Dim> = axes.iter().map(|&a| declared.axes[a]).collect();
                b.inside(&dims, |b| self.block(b, body))
            }
            Statement::Load { table, axis, body } => {
                let dim = declared.buffers[*table];
                let (name, at) = (format!("value{}", self.loads), format!("from{}", self.loads));
                self.loads += 1;
                b.inside(&[dim], |b| {
                    b.index(&at, dim)?;
                    let value = b.value(&name, &format!("p{table}[${at}]"), 0..PAGES)?;
                    b.set(declared.axes[*axis], value)?;
                    self.block(b, body)
                })
            }
            Statement::Set { axis, from, plus, body } => {
                let dim = declared.axes[*axis];
                let value = b.indices().get_raw(declared.axes[*from])? + *plus;
                let size = b.indices().size_expr(dim)?;
                b.guard(value.lt(size), |b| {
                    b.set(dim, value.clone())?;
                    self.block(b, body)
                })
            }
            Statement::Visit { counts } => self.visit(b, *counts),
            Statement::Copy(copied) => self.copy(b, copied),
        }
    }

    /// Counts the visits of each covered element, by vectors if vectors are open.
    fn visit(&mut self, b: &mut Block<'_>, counts: usize) -> Recorded {
        let dim = self.declared.buffers[counts];
        let moves = |a: usize| self.program.buffers[counts].digits.contains(&Digit::Axis(a));
        let moving = self.vectors.iter().filter(|(a, _)| moves(*a));
        let lanes: i64 = moving.map(|&(a, f)| self.size_of(&Digit::Factor(a, f))).product();
        let visited = |lanes: i64| {
            move |b: &mut Block<'_>| {
                b.index("at", dim)?;
                b.code(&format!("visit(p{counts}, $at, {lanes});"))
            }
        };
        b.inside_or_each(&[dim], visited(lanes), visited(1))
    }

    fn copy(&mut self, b: &mut Block<'_>, copied: &Copied) -> Recorded {
        let number = self.copies;
        self.copies += 1;
        let end = |buffer: usize| (&self.buffers[buffer], self.declared.buffers[buffer]);
        let Some(tile) = &copied.tile else {
            let transfer = self.limited(copied, self.transfer(copied, end(copied.to), end(copied.from)));
            return b.transfer(&transfer);
        };
        let length: i64 = tile.digits.iter().map(|digit| self.size_of(digit)).product();
        let (name, element) = (format!("tile{number}"), self.program.buffers[copied.from].element);
        let array = if tile.shared { b.shared(&name, element, length)? } else { b.registers(&name, element, length)? };
        let tile_at = (&array, self.declared.tiles[number]);
        b.transfer(&self.limited(copied, self.transfer(copied, tile_at, end(copied.from))))?;
        if tile.shared {
            b.sync();
        }
        b.transfer(&self.transfer(copied, end(copied.to), tile_at))?;
        if tile.shared {
            b.sync();
        }
        Ok(())
    }

    fn transfer<'b>(&self, copied: &Copied, to: (&'b Buffer, Dim), from: (&'b Buffer, Dim)) -> Transfer<'b> {
        match copied.lanes {
            Some((a, f)) => Transfer::new(to, from, self.declared.factors[a][f]),
            None => Transfer::one(to, from),
        }
    }

    fn limited<'b>(&self, copied: &Copied, transfer: Transfer<'b>) -> Transfer<'b> {
        let limits = copied.below.iter().map(|&(axis, end)| (self.declared.axes[axis], Self::end(end)));
        let transfer = limits.fold(transfer, |transfer, (dim, end)| transfer.below(dim, end));
        if copied.zero { transfer.or_zero() } else { transfer }
    }

    fn size_of(&self, digit: &Digit) -> i64 {
        match *digit {
            Digit::Factor(a, f) => self.program.axes[a].factors[f].size.unwrap_or(1),
            Digit::Stride(n) => n,
            Digit::Axis(_) => 1,
        }
    }
}
