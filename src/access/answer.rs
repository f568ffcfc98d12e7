//! Simplified accesses: their gates and indices, their costs, and their text.

use super::Access;
use super::scopes::Scopes;
use super::shape::{Part, Ranges, Shape};
use crate::cost::Cost;
use crate::domain::{Interval, VarFacts};
use crate::egraph::StopReason;
use crate::emit::{Language, Text};
use crate::lower::{LowerError, Lowered, Part as LoweredPart, Target, Wide, lower_parts};
use crate::simplify::Step;

/// Simplified accesses. See [`Simplifier::simplify_accesses`](crate::Simplifier::simplify_accesses).
#[derive(Clone, Debug)]
pub struct SimplifiedAccesses {
    pub(super) accesses: Vec<Access>,
    pub(super) vars: Vec<VarFacts>,
    pub(super) scopes: Scopes,
    /// The expressions of `accesses`, without the constants in `offsets`, and the gate under which each is computed.
    pub(super) shape: Shape,
    /// For each access, the constant that is added to the index of each lane.
    pub(super) offsets: Vec<Vec<i64>>,
    /// The ranges of all nodes of `shape`.
    pub(super) facts: Ranges,
    pub(super) cost: Cost,
    pub(super) input_cost: Cost,
    pub(super) stop: StopReason,
    pub(super) target: Target,
    pub(super) trace: Vec<Step>,
}

impl SimplifiedAccesses {
    /// The same answer, with texts for another machine than [`Target::SM_90`].
    ///
    /// ```
    /// use quaff::{Simplifier, access::Access, domain::Domain, lower::Target};
    ///
    /// let load = Access::load("v", "from", "y*16 - x*8".parse()?);
    /// let answer = Simplifier::default().simplify_access(&load, &Domain::new().with("x", 0..8).with("y", 0..8))?;
    /// assert_eq!(answer.cuda()?.to_string(), "const float v = from[y * 16 + x * -8];\n");
    /// assert_eq!(answer.for_target(Target::PLAIN).cuda()?.to_string(), "const float v = from[y * 16 - x * 8];\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_target(self, target: Target) -> SimplifiedAccesses {
        SimplifiedAccesses { target, ..self }
    }

    /// The accesses, in the order of the call.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// The cost of all gates and indices together under the cost model. The constant term of an index costs nothing,
    /// because a load or store instruction adds it as an offset.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The cost of the gates and indices as written.
    pub fn input_cost(&self) -> Cost {
        self.input_cost
    }

    /// Why the searches for gates and indices ended: the limit that ended the first search that did not saturate. If
    /// all searches saturated, [`StopReason::Saturated`].
    pub fn stop(&self) -> StopReason {
        self.stop
    }

    /// The rules that fired in all searches of the call, in order. See [`Simplified::trace`](crate::Simplified::trace).
    ///
    /// ```
    /// use quaff::{Simplifier, access::Access, domain::Domain};
    ///
    /// let load = Access::load("v", "from", "(x*8 + y)//8".parse()?).when("x*8 >= 0".parse()?);
    /// let domain = Domain::new().with("x", 0..8).with("y", 0..8);
    /// let answer = Simplifier::default().with_trace(true).simplify_access(&load, &domain)?;
    /// assert!(answer.trace().iter().any(|step| step.before.to_string() == "(x*8 + y)//8"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trace(&self) -> &[Step] {
        &self.trace
    }

    /// The facts about the variables.
    pub fn vars(&self) -> &[VarFacts] {
        &self.vars
    }

    /// The sub-expressions that need 64 bits.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn wide(&self) -> Result<Vec<Wide>, LowerError> {
        Ok(self.lowered()?.0.wide().to_vec())
    }

    /// The CUDA text. The unconditional values come first, then the accesses in order. Each index is inside of the `if`
    /// or the conditional expression of its gate. The constant term of an index moves the pointer, as in `(in + 3)[i]`,
    /// and costs nothing in an address. [`Text::statements`] has the lines, and [`Text::results`] is empty.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        self.text(Language::Cuda)
    }

    /// The C99 text, which is otherwise like [`cuda`](Self::cuda).
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn c(&self) -> Result<Text, LowerError> {
        self.text(Language::C)
    }

    /// Lowers the unconditional part and all regions (accesses that share a gate) into one graph, in which they share
    /// values. Also returns the roots of each part. The roots of the unconditional part leave out values that are
    /// computed in it only because several regions use them.
    pub(super) fn lowered(&self) -> Result<(Lowered, Vec<Vec<u32>>), LowerError> {
        let dag = &self.shape.dag;
        let roots = |ids: &[usize]| ids.iter().map(|&r| dag.roots()[r]).collect::<Vec<u32>>();
        let known = self.facts.groups.iter().chain(&self.facts.regions).map(Part::by_number);
        let facts: Vec<_> =
            known.map(|known| move |id: u32| known.get(&id).copied().unwrap_or(Interval::ALL)).collect();
        let groups = &self.shape.groups;
        let of_group = |group: &Vec<usize>| group.iter().map(|&at| dag.roots()[self.shape.outer[at]]).collect();
        let outer: Vec<Vec<u32>> = groups.iter().map(of_group).collect();
        let inner: Vec<Vec<u32>> = self.shape.regions.iter().map(|r| roots(&r.roots)).collect();
        let of_regions = self.shape.regions.iter().map(|region| Some(region.group));
        let inside: Vec<Option<usize>> = groups.iter().map(|_| None).chain(of_regions).collect();
        let all = |hoisted: Vec<u32>| -> Result<(Lowered, Vec<Vec<u32>>), LowerError> {
            let mut parts = [&outer[..], &inner].concat();
            parts[0].extend(hoisted);
            let parts: Vec<LoweredPart<'_>> = parts
                .iter()
                .zip(&facts)
                .zip(&inside)
                .map(|((roots, facts), &inside)| LoweredPart { roots, facts, inside })
                .collect();
            let (lowered, mut roots) = lower_parts(dag, &self.vars, &parts, &self.target)?;
            let regions = roots.split_off(groups.len());
            let mut unconditional = vec![0; self.shape.outer.len()];
            for (group, values) in groups.iter().zip(&roots) {
                group.iter().zip(values).for_each(|(&at, &value)| unconditional[at] = value);
            }
            Ok((lowered, std::iter::once(unconditional).chain(regions).collect()))
        };
        let varies = |id: u32| facts[groups.len()..].iter().all(|known| known(id).as_point().is_none());
        // facts of a group hold only where the variables of the group have values. With several groups, nothing can be
        // moved out of all regions
        let hoisted = if groups.len() == 1 { self.shape.hoisted(varies) } else { Vec::new() };
        if hoisted.is_empty() {
            return all(hoisted);
        }
        // a value that several regions use is computed unconditionally, if possible. When all their gates are closed,
        // it may need 64 bits or have no value. In that case, each region computes the value itself
        match (all(hoisted), all(Vec::new())) {
            (Ok(shared), Ok(alone)) if shared.0.wide().len() > alone.0.wide().len() => Ok(alone),
            (Ok(shared), _) => Ok(shared),
            (Err(_), alone) => alone,
        }
    }
}
