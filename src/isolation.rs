//! What candidates are isolated by, said in one place.

use crate::cli::SandboxWish;
use crate::error::Error;
use crate::model::report::Sandbox;

/// The isolation that `wish` comes to.
#[must_use]
pub fn granted(wish: SandboxWish) -> Sandbox {
    let (level, why) = match wish {
        SandboxWish::Off => (
            "off",
            "asked for; the environment is closed and limits hold all the same",
        ),
        SandboxWish::Best | SandboxWish::Required => (
            "partial",
            "closed environment, limits, cleanup; files and network are not isolated yet",
        ),
    };
    Sandbox {
        level: level.to_owned(),
        why: why.to_owned(),
    }
}

/// Refuses a wish that cannot be met before anything is spent.
///
/// # Errors
/// Incomplete, with what there is instead.
pub fn check(wish: SandboxWish) -> Result<(), Error> {
    if wish == SandboxWish::Required {
        let why = "--sandbox required: file system and network isolation do not exist in this version; candidates get a closed environment and limits (--sandbox best)";
        return Err(Error::Incomplete(why.to_owned()));
    }
    Ok(())
}
