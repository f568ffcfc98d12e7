//! The report about a layout that is a linear function of bits.

use super::refused::refused;
use super::report::block;
use crate::answer::CudaJson;
use crate::report::{Failure, shortened};
use quaff::Simplifier;
use quaff::cost::Cost;
use quaff_fronts::layout::LinearLayout;
use serde::Serialize;

/// The report that is printed.
#[derive(Serialize)]
pub(super) struct Report {
    linear: String,
    /// The names and sizes of the inputs.
    ins: Vec<(String, i64)>,
    outs: Vec<(String, i64)>,
    rank: usize,
    injective: bool,
    surjective: bool,
    /// For each input, a mask of the bits whose base (the output for this bit alone) is a sum of earlier bases.
    free: Vec<(String, i64)>,
    /// The name and the expression of each output.
    index: Vec<(String, String)>,
    /// The cost of the outputs, in instructions.
    cost: Cost,
    input_cost: Cost,
    #[serde(flatten)]
    cuda: CudaJson,
    #[serde(skip)]
    body: Option<String>,
}

impl Report {
    pub(super) fn new(layout: &LinearLayout) -> Result<Report, Failure> {
        let answer = layout.simplify(&Simplifier::default()).map_err(refused)?;
        let text = answer.cuda();
        let owned = |all: Vec<(&str, i64)>| all.into_iter().map(|(name, n)| (name.to_string(), n)).collect::<Vec<_>>();
        let names = layout.outs().into_iter().map(|(name, _)| name.to_string());
        Ok(Report {
            linear: layout.to_string(),
            ins: owned(layout.ins()),
            outs: owned(layout.outs()),
            rank: layout.rank(),
            injective: layout.is_injective(),
            surjective: layout.is_surjective(),
            free: owned(layout.free_masks()),
            index: names.zip(answer.exprs().iter().map(|e| shortened(&e.to_string()))).collect(),
            cost: answer.cost(),
            input_cost: answer.input_cost(),
            body: text.as_ref().ok().map(|text| text.whole()),
            cuda: CudaJson::new(text),
        })
    }

    pub(super) fn text(&self) -> String {
        let yes = |known: bool| if known { "yes" } else { "no" }.to_string();
        let sizes =
            |all: &[(String, i64)]| all.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ");
        let free: Vec<String> =
            self.free.iter().filter(|(_, mask)| *mask != 0).map(|(name, mask)| format!("{name} {mask:#b}")).collect();
        let mut lines = vec![
            ("linear", self.linear.clone()),
            ("inputs", sizes(&self.ins)),
            ("outputs", sizes(&self.outs)),
            ("injective", yes(self.injective)),
            ("surjective", yes(self.surjective)),
        ];
        if !free.is_empty() {
            lines.push(("free bits", free.join(", ")));
        }
        lines.extend(self.index.iter().map(|(name, index)| (name.as_str(), index.clone())));
        lines.push(("cost", format!("{}, as built {}", self.cost, self.input_cost)));
        block(&lines, &self.ins, self.body.as_deref())
    }
}
