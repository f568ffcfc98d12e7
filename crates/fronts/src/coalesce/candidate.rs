//! A schedule that was measured, with its memory traffic and the cost of its indices. A schedule assigns an element to
//! each lane.

use super::access::Access;
use super::error::CoalesceError;
use super::objective::{Objective, Taken};
use super::schedule::Schedule;
use super::traffic::Traffic;
use quaff::access::{Access as Load, Gate, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::emit::{Parameter, Text};
use quaff::expr::substitute::substituted;
use quaff::expr::{Expr, int, var};
use quaff::integer::{floor_div, floor_mod};
use quaff::lower::LowerError;
use quaff::{Simplified, Simplifier, Step};
use std::ops::Div;

/// The variable of a schedule in which each lane takes one element. It is the number of the lane, counted over all
/// warps and steps.
const NUMBER: &str = "u";
/// The variable for the number of a lane in a schedule in which each lane takes several elements. Then `u` is the
/// number of an element.
const LANE: &str = "t";

/// The most elements that a lane takes. The number of elements of a lane is a power of two.
const MOST_ELEMENTS: u32 = 16;

/// A schedule, the traffic of the accesses under it, and the costs of their indices.
#[derive(Clone, Debug)]
pub struct Candidate {
    measured: Measured,
    sigma: Simplified,
    /// The accesses as functions of the number `u`.
    each: SimplifiedAccesses,
    /// The accesses as functions of the lane.
    loads: SimplifiedAccesses,
    indices: Vec<Expr>,
}

/// A schedule with the facts that were computed from the addresses of all lanes.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) schedule: Schedule,
    /// The number of elements that each lane takes. The lowest digits of the number `u` count the elements of a lane.
    pub(super) vector: u32,
    pub(super) traffic: Traffic,
    /// For each access, whether in every lane one vector access covers all elements of the lane.
    pub(super) at_once: Vec<bool>,
    /// For each access with evenly spaced addresses, their distance and the first address. Its index is
    /// `first + distance*u` and needs no simplification.
    pub(super) affine: Vec<Option<(i64, i64)>>,
}

impl Measured {
    /// Whether the schedule is worth keeping: lanes take one element each, or at least one access is a vector access.
    pub(super) fn is_of_use(&self) -> bool {
        let whole = floor_mod(self.schedule.extent().into(), self.vector.into()) == 0;
        // if no access is a vector access, a schedule with one element for each lane is equally good
        self.vector == 1 || whole && self.at_once.contains(&true)
    }
}

/// The data from which the cost of the indices of a schedule is computed.
pub(super) struct Price<'a> {
    pub(super) accesses: &'a [Access],
    pub(super) variable: &'a str,
    pub(super) n: i64,
    /// The facts about variables other than the element.
    pub(super) uniform: &'a Domain,
    pub(super) simplifier: &'a Simplifier,
}

impl Price<'_> {
    /// The accesses of the element with the number `number`. If the condition `inside` is given, they happen only under
    /// it.
    fn loads(&self, schedule: &Measured, sigma: &Expr, inside: Option<&Expr>, number: &Expr) -> Vec<Load> {
        let element = substituted(sigma, NUMBER, number);
        let load = |(place, access): (usize, &Access)| {
            let at = |e: &Expr| substituted(e, self.variable, &element);
            let index = match schedule.affine[place] {
                Some((slope, first)) => number * int(slope) + int(first),
                None => at(access.index()),
            };
            let load = typed(Load::load(format!("v{place}"), format!("in{place}"), index), access.bytes(), 1);
            let inside = inside.map(|condition| substituted(condition, NUMBER, number));
            inside.into_iter().chain(access.gate().map(at)).fold(load, Load::when)
        };
        self.accesses.iter().enumerate().map(load).collect()
    }

    /// The accesses of a lane, which takes the numbers `lane*vector .. lane*vector + vector - 1`.
    pub(super) fn lane_loads(
        &self,
        schedule: &Measured,
        sigma: &Expr,
        inside: Option<&Expr>,
        lane: &Expr,
    ) -> Vec<Load> {
        let vector = i64::from(schedule.vector);
        if vector == 1 {
            return self.loads(schedule, sigma, inside, lane);
        }
        let of = |element: i64| self.loads(schedule, sigma, inside, &(lane * int(vector) + int(element)));
        let elements: Vec<Vec<Load>> = (0..vector).map(of).collect();
        let mut all = Vec::new();
        for (place, (access, at_once)) in self.accesses.iter().zip(&schedule.at_once).enumerate() {
            let first = &elements[0][place];
            if *at_once {
                let ty = type_name(access.bytes(), schedule.vector);
                let buffer = format!("reinterpret_cast<const {ty}*>(in{place})");
                let load = Load::load(format!("v{place}"), buffer, first.index().floor_div(int(vector)));
                let load = typed(load, access.bytes(), schedule.vector);
                all.push(first.gate().condition().cloned().into_iter().fold(load, Load::when));
            } else if first.gate().condition().is_none() {
                let others = elements[1..].iter().map(|loads| loads[place].index().clone());
                all.push(others.fold(first.clone(), Load::lane));
            } else {
                for (element, loads) in elements.iter().enumerate() {
                    let load = &loads[place];
                    let name = format!("v{place}_{element}");
                    let alone = typed(Load::load(name, format!("in{place}"), load.index().clone()), access.bytes(), 1);
                    all.push(load.gate().condition().cloned().into_iter().fold(alone, Load::when));
                }
            }
        }
        all
    }
}

/// `load` with the type of `count` elements of `bytes` bytes.
fn typed(load: Load, bytes: u32, count: u32) -> Load {
    let ty = type_name(bytes, count);
    if bytes * count > 8 || count > 1 { load.element(ty).otherwise(format!("{ty}()")) } else { load.element(ty) }
}

/// A CUDA type of `count` elements of `bytes` bytes each. Together they have 1, 2, 4, 8 or 16 bytes.
fn type_name(bytes: u32, count: u32) -> &'static str {
    match (bytes, count) {
        (1, 1) => "unsigned char",
        (1, 2) => "uchar2",
        (1, 4) => "uchar4",
        (2, 1) => "unsigned short",
        (2, 2) => "ushort2",
        (2, 4) => "ushort4",
        (4, 1) => "float",
        (4, 2) => "float2",
        (8, 1) => "double",
        (8, 2) => "double2",
        (1, 8) => "uint2",
        (1 | 2, _) => "uint4",
        _ => "float4",
    }
}

impl Candidate {
    pub(super) fn new(measured: Measured, price: &Price<'_>) -> Result<Candidate, CoalesceError> {
        let extent = measured.schedule.extent();
        let domain = price.uniform.clone().with(NUMBER, 0..extent);
        let sigma = price.simplifier.simplify(&measured.schedule.expr(NUMBER), &domain)?;
        // if there are more numbers than elements, some numbers have no element
        let inside = (extent > price.n).then(|| sigma.expr().lt(int(price.n)));
        let each = price.loads(&measured, sigma.expr(), inside.as_ref(), &var(NUMBER));
        let each = price.simplifier.simplify_accesses(&each, &domain)?;
        let indices = each.accesses().iter().map(|a| a.index().clone()).collect();
        let loads = if measured.vector == 1 {
            each.clone()
        } else {
            let count = floor_div(extent.into(), measured.vector.into()) as i64;
            let domain = price.uniform.clone().with(LANE, 0..count);
            let loads = price.lane_loads(&measured, sigma.expr(), inside.as_ref(), &var(LANE));
            price.simplifier.simplify_accesses(&loads, &domain)?
        };
        Ok(Candidate { measured, sigma, each, loads, indices })
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.measured.schedule
    }

    /// The traffic of all accesses together, each multiplied by its weight.
    pub fn traffic(&self) -> Traffic {
        self.measured.traffic
    }

    /// The number of elements of one lane. With 4 elements, lane `t` takes the numbers `u = 4*t .. 4*t + 3`.
    pub fn vector(&self) -> u32 {
        self.measured.vector
    }

    /// Whether each access takes all elements of a lane at once, by a vector load. In every lane, the elements of such
    /// an access are neighbours in memory and aligned to the width of the vector. A lane accesses either all of its
    /// elements or none.
    pub fn at_once(&self) -> &[bool] {
        &self.measured.at_once
    }

    /// The element with the number `u`, simplified. If each lane takes one element, lane `u` takes this element.
    pub fn sigma(&self) -> &Expr {
        self.sigma.expr()
    }

    /// The indices of the accesses as functions of the number `u`, simplified together.
    pub fn indices(&self) -> &[Expr] {
        &self.indices
    }

    /// The condition under which each access happens. It is 1 if the access always happens.
    pub fn gates(&self) -> Vec<Expr> {
        let gate = |gate: &Gate| match gate {
            Gate::Always => int(1),
            Gate::When(condition) => condition.clone(),
            Gate::Never => int(0),
        };
        self.each.accesses().iter().map(|a| gate(a.gate())).collect()
    }

    /// The cost of the indices and gates of one lane, for all of its elements.
    pub fn cost(&self) -> Cost {
        self.loads.cost()
    }

    /// CUDA text of the element as a function of `u`.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits. The values of a search never do.
    pub fn sigma_cuda(&self) -> Result<Text, LowerError> {
        self.sigma.cuda()
    }

    /// CUDA text of the loads of all accesses as functions of `u`. They load from the buffers `in0`, `in1` and so on
    /// into `v0`, `v1` and so on. If a lane takes several elements, the loads are functions of the number `t` of the
    /// lane. An access that [takes all elements at once](Candidate::at_once) loads one vector, and any other access
    /// loads an array.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        let mut text = self.loads.cuda()?;
        // the parameters are buffers of elements, also for loads of vectors
        text.objects = self.each.cuda()?.objects;
        Ok(text)
    }

    /// The rules that were applied to the element and the indices. Empty unless the simplifier [keeps
    /// them](Simplifier::with_trace).
    pub fn trace(&self) -> impl Iterator<Item = &Step> {
        self.sigma.trace().iter().chain(self.each.trace()).chain(self.loads.trace())
    }

    /// The measures of the candidate, as an [`Objective`] needs them.
    pub fn taken(&self) -> Taken {
        // the cost is in tenths of an instruction and covers few elements, so a float is exact enough
        let cost = (self.cost_of_elements() as f64).div(f64::from(10 * MOST_ELEMENTS));
        Taken { traffic: self.traffic(), cost }
    }

    /// The buffers of elements. The list is empty if the accesses cannot be written as CUDA text.
    pub(super) fn buffers(&self) -> Vec<Parameter> {
        self.each.cuda().map_or_else(|_| Vec::new(), |text| text.objects)
    }

    pub(super) fn measured(&self) -> &Measured {
        &self.measured
    }

    /// The sort key of a candidate: the value of `first`, memory traffic, instructions, and the gap. The gap comes
    /// last, because it does not affect the hardware.
    pub(super) fn rank(&self, first: &Objective) -> ([u128; 6], String) {
        let Traffic { gap, sectors, lines, requests, .. } = self.traffic();
        ([first.key(&self.taken()), sectors, requests, lines, self.cost_of_elements(), gap], self.sigma().to_string())
    }

    /// Whether the candidate is at least as good as `other` in every measure and in `objective`. Costs of indices are
    /// compared for the same number of elements.
    pub(super) fn covers(&self, other: &Candidate, objective: &Objective) -> bool {
        let (a, b) = (self.traffic(), other.traffic());
        let traffic = a.gap <= b.gap && a.sectors <= b.sectors && a.lines <= b.lines && a.requests <= b.requests;
        let by_objective = objective.key(&self.taken()) <= objective.key(&other.taken());
        traffic && a.fetches <= b.fetches && by_objective && self.cost_of_elements() <= other.cost_of_elements()
    }

    /// The cost of the indices and gates of [`MOST_ELEMENTS`] elements, in tenths of an instruction. If a lane takes
    /// more elements, fewer lanes are needed for them.
    fn cost_of_elements(&self) -> u128 {
        u128::from(self.cost().tenths()) << (MOST_ELEMENTS.ilog2() - self.vector().clamp(1, MOST_ELEMENTS).ilog2())
    }
}
