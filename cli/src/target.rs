//! The machine that text is for.

use quaff::lower::Target;

/// For which machine CUDA and C text is spelled.
#[derive(clap::Args)]
pub(crate) struct TargetName {
    /// Machine that CUDA and C text is spelled for, so that its compiler makes few instructions of it: sm_80, sm_90, sm_100, or plain;
    /// `sm_90-conditional_sums` leaves one spelling out, `sm_90+fences` adds one
    #[arg(long, value_name = "NAME", default_value = "sm_90", value_parser = known)]
    target: Target,
}

impl TargetName {
    /// The table of its spellings.
    pub(crate) fn table(&self) -> Target {
        self.target
    }
}

fn known(name: &str) -> Result<Target, String> {
    Target::by_name(name).ok_or_else(|| "there are sm_80, sm_90, sm_100 and plain".into())
}
