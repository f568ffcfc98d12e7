//! The target machine of answers.

use quaff::lower::Target;

/// The machine that answers are chosen for, and that CUDA and C text is spelled for.
#[derive(clap::Args)]
#[command(next_help_heading = "Rules and search")]
pub(crate) struct TargetName {
    /// Target machine: sm_80, sm_90, sm_100, or plain. Answers are chosen by the instruction prices of the machine. CUDA and C text
    /// is spelled so that the compiler of the machine makes few instructions from it. `sm_90-conditional_sums` is sm_90 without one
    /// such spelling, and `sm_90+fences` is sm_90 with one more spelling. `sm_90+mulhi=20` changes one price, in tenths of an
    /// addition
    #[arg(long, value_name = "NAME", default_value = "sm_90", value_parser = known)]
    target: Known,
}

/// A machine and its name.
#[derive(Clone)]
struct Known {
    name: String,
    table: Target,
}

impl TargetName {
    /// The table with the prices and spellings of the machine.
    pub(crate) fn table(&self) -> Target {
        self.target.table
    }

    /// The name of the machine.
    pub(crate) fn name(&self) -> &str {
        &self.target.name
    }
}

fn known(name: &str) -> Result<Known, String> {
    let known = |table| Known { name: name.into(), table };
    let refused = || "there are sm_80, sm_90, sm_100 and plain".to_string();
    if let Some(table) = Target::by_name(name) {
        return Ok(known(table));
    }
    let near = nearest(name).ok_or_else(refused)?;
    let table = Target::by_name(&near).ok_or_else(refused)?;
    eprintln!("quaff: warning: there are no prices of {name}, and those of {near} are used");
    Ok(Known { name: near, table })
}

/// The newest machine with prices that is not newer than `name`. If `name` is older than all machines with prices, the
/// oldest of them. The changes to a machine in `name`, from the first `-` or `+` on, are kept.
fn nearest(name: &str) -> Option<String> {
    let (machine, changes) = name.split_at(name.find(['-', '+']).unwrap_or(name.len()));
    let generation: u32 = machine.strip_prefix("sm_")?.trim_end_matches(['a', 'f']).parse().ok()?;
    let base = match generation {
        50..90 => "sm_80",
        90..100 => "sm_90",
        100..200 => "sm_100",
        _ => return None,
    };
    Some(format!("{base}{changes}"))
}
