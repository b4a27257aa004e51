//! Landlock: which files can be opened, and that neither TCP, nor signals, nor abstract sockets
//! leave the sandbox.

use std::io;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    path_beneath_rules,
};

use super::super::protocol::{Calls, Confinement};

/// The newest rules that are used. Older kernels give a part of them, and a trial finds out.
const RULES: ABI = ABI::V6;

/// The devices that anybody may write to.
const SINKS: [&str; 1] = ["/dev/null"];

/// Confines this thread and what it starts.
pub(super) fn restrict(confine: &Confinement) -> io::Result<RestrictionStatus> {
    let status = rules(confine).map_err(|error| io::Error::other(format!("Landlock: {error}")))?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::other("Landlock is not enforced"));
    }
    Ok(status)
}

fn rules(confine: &Confinement) -> Result<RestrictionStatus, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(RULES))?
        .scope(Scope::from_all(RULES))?;
    if confine.calls != Some(Calls::Networked) {
        ruleset = ruleset.handle_access(AccessNet::from_all(RULES))?;
    }
    let sink = AccessFs::from_file(RULES);
    ruleset
        .create()?
        .add_rules(path_beneath_rules(
            &confine.read,
            AccessFs::from_read(RULES),
        ))?
        .add_rules(path_beneath_rules(&confine.own, AccessFs::from_all(RULES)))?
        .add_rules(path_beneath_rules(SINKS, sink))?
        .restrict_self()
}

/// Shuts this thread, and what it starts, off from the rest of its sandbox, which can still signal
/// them. A layer that says nothing of moves between folders refuses them.
pub(super) fn shut_off(confine: &Confinement) -> io::Result<()> {
    let shut = || {
        Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::Refer)?
            .scope(Scope::from_all(RULES))?
            .create()?
            .add_rules(path_beneath_rules(&confine.own, AccessFs::Refer))?
            .restrict_self()
    };
    shut()
        .map(|_| ())
        .map_err(|error: RulesetError| io::Error::other(format!("Landlock: {error}")))
}

/// The version of the kernel's rules; 0 if there are none.
pub(super) fn version(status: &RestrictionStatus) -> i32 {
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as i32,
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    }
}
