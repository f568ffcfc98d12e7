//! Compares simplified accesses with the accesses of the call, either as expressions or by the values that a machine
//! computes.

use super::{Access, Gate, SimplifiedAccesses};
use crate::domain::Domain;
use crate::expr::{Expr, int, select};
use crate::lower::{Compared, Fault, Machine, Sampling, compare};
use crate::simplify::CompareError;

/// The gate as an expression that is nonzero when the gate is open.
fn truth(gate: &Gate) -> Expr {
    match gate {
        Gate::Always => int(1),
        Gate::Never => int(0),
        Gate::When(condition) => condition.clone(),
    }
}

impl Access {
    /// The equalities that must be proved to show that `other` does the same as this access. The two expressions of
    /// each pair must be equal everywhere in the domain of the pair. The first pair compares the gates. The other pairs
    /// compare the index of each lane when this gate is open.
    ///
    /// ```
    /// use quaff::access::Access;
    /// use quaff::domain::Domain;
    /// use quaff::quasi::{Verdict, equivalent};
    ///
    /// let domain = Domain::new().with("x", 0..100);
    /// let one = Access::load("v", "in", "x%64".parse()?).when("x < 64".parse()?);
    /// let other = Access::load("v", "in", "x".parse()?).when("x//64 == 0".parse()?);
    /// let mut pairs = one.compared_with(&other, &domain).into_iter();
    /// assert!(pairs.all(|(a, b, inside)| equivalent(&a, &b, &inside) == Verdict::Equal));
    /// # Ok::<(), quaff::expr::ParseError>(())
    /// ```
    pub fn compared_with(&self, other: &Access, domain: &Domain) -> Vec<(Expr, Expr, Domain)> {
        let [here, there] = [self, other].map(|a| truth(&a.gate));
        let used: Vec<Expr> = self.lanes.iter().chain([&here]).cloned().collect();
        let domain = &*domain.seen_from(&used);
        let inside = domain.clone().assume(here.clone());
        // only the truth of a condition matters, not its value
        let gates = (here.differs(int(0)), there.differs(int(0)), domain.clone());
        let lanes = self.lanes.iter().zip(&other.lanes).map(|(a, b)| (a.clone(), b.clone(), inside.clone()));
        std::iter::once(gates).chain(lanes).collect()
    }
}

impl SimplifiedAccesses {
    /// Compares this answer with `input` at points of `domain`. The values of the answer are those that its CUDA and C
    /// texts compute, operation by operation in their machine types. `input` and `domain` are those of the call. For
    /// each access, the gate is compared as 0 or 1, and then the index of each lane. An index is computed only when the
    /// gate is open, and counts as 0 otherwise.
    ///
    /// ```
    /// use quaff::lower::Sampling;
    /// use quaff::{Simplifier, access::Access, domain::Domain, expr::Expr};
    ///
    /// let load = Access::load("v", "in", "(x - 12)//12*16 + x%12".parse()?).when("x >= 12".parse()?);
    /// let domain = Domain::new().with("x", 0..1 << 20);
    /// let answer = Simplifier::default().simplify_access(&load, &domain)?;
    /// let compared = answer.compare_machine(&[load], &domain, Sampling::default())?;
    /// assert_eq!((compared.points, compared.mismatch), (512, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CompareError`] when the answer cannot be written in C, or when `domain` is not the domain of the call.
    pub fn compare_machine(
        &self,
        input: &[Access],
        domain: &Domain,
        sampling: Sampling,
    ) -> Result<Compared, CompareError> {
        let (lowered, roots) = self.lowered()?;
        let variables: Vec<&str> = domain.vars().collect();
        let inner: usize = roots[1..].iter().map(Vec::len).sum();
        let outer = &lowered.roots()[..lowered.roots().len() - inner];
        let machine = |roots: &[u32]| Machine::of_values(&lowered, &variables, roots);
        let first = machine(outer)?;
        let inside = roots[1..].iter().map(|r| machine(r)).collect::<Result<Vec<_>, _>>()?;
        let run = |point: &[i64]| -> Result<Vec<i128>, Fault> {
            let mut outside = Vec::new();
            first.run_into(point, &mut outside)?;
            // for each region, its values if its gate is open
            let mut of_regions: Vec<Option<Vec<i128>>> = Vec::with_capacity(inside.len());
            for (region, machine) in self.shape.regions.iter().zip(&inside) {
                let gate = self.shape.gates[region.accesses.start].map(|gate| outside[roots[0][gate] as usize]);
                let mut values = Vec::new();
                let is_open = gate != Some(0);
                if is_open {
                    machine.run_into(point, &mut values)?;
                }
                of_regions.push(is_open.then_some(values));
            }
            let mut found = Vec::new();
            for (i, access) in self.accesses.iter().enumerate() {
                let region = self.shape.region_of(i);
                let values = match (&access.gate, region) {
                    (Gate::Never, _) => None,
                    (_, Some(region)) => of_regions[region].as_ref(),
                    (_, None) => Some(&outside),
                };
                found.push(i128::from(values.is_some()));
                let part = &roots[region.map_or(0, |r| r + 1)];
                found.extend((0..access.lanes.len()).map(|lane| {
                    let at = self.shape.lanes[i] + lane;
                    values.map_or(0, |values| values[part[at] as usize] + i128::from(self.offsets[i][lane]))
                }));
            }
            Ok(found)
        };
        Ok(compare(&meaning(input), domain, sampling, run)?)
    }
}

/// For each access, its gate and the index of each of its lanes.
fn meaning(accesses: &[Access]) -> Vec<Expr> {
    let mut out = Vec::new();
    for access in accesses {
        let gate = match &access.gate {
            Gate::Always => int(1),
            Gate::Never => int(0),
            Gate::When(condition) => condition.differs(0),
        };
        out.push(gate.clone());
        out.extend(access.lanes.iter().map(|lane| match access.gate {
            Gate::Always => lane.clone(),
            Gate::Never => int(0),
            Gate::When(_) => select(gate.clone(), lane.clone(), 0),
        }));
    }
    out
}
