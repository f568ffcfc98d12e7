//! The machine that answers are for.

use quaff::lower::Target;

/// For which machine answers are chosen, and CUDA and C text is spelled.
#[derive(clap::Args)]
pub(crate) struct TargetName {
    /// Machine whose prices answers are chosen by, and for which CUDA and C text is spelled, so that its compiler makes few
    /// instructions of it: sm_80, sm_90, sm_100, or plain; `sm_90-conditional_sums` leaves one spelling out, `sm_90+fences` adds
    /// one, and `sm_90+mulhi=20` is one with another price, in tenths of an addition
    #[arg(long, value_name = "NAME", default_value = "sm_90", value_parser = known)]
    target: Known,
}

/// A machine and how it is called.
#[derive(Clone)]
struct Known {
    name: String,
    table: Target,
}

impl TargetName {
    /// The tables of its prices and spellings.
    pub(crate) fn table(&self) -> Target {
        self.target.table
    }

    /// How it is called.
    pub(crate) fn name(&self) -> &str {
        &self.target.name
    }
}

fn known(name: &str) -> Result<Known, String> {
    let known = |table| Known { name: name.into(), table };
    Target::by_name(name).map(known).ok_or_else(|| "there are sm_80, sm_90, sm_100 and plain".into())
}
