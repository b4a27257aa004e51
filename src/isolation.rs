//! What was asked for and what there is of isolation, said in one place.

use crate::cli::SandboxWish;
use crate::error::Error;
use crate::model::isolation::Isolation;
use crate::model::report::Sandbox;

/// The isolation that steps get, or got.
#[must_use]
pub fn granted(isolation: Option<&Isolation>) -> Sandbox {
    isolation.map_or_else(
        || Sandbox {
            level: "off".to_owned(),
            why: "asked for; the environment is closed and limits hold all the same".to_owned(),
        },
        Isolation::level,
    )
}

/// Whether to isolate at all.
#[must_use]
pub fn wanted(wish: Option<SandboxWish>) -> bool {
    wish != Some(SandboxWish::Off)
}

/// Refuses to judge with less than what was asked for; where nothing was, with less than what
/// the kernel has.
///
/// # Errors
/// Incomplete, with what is missing.
pub fn check(wish: Option<SandboxWish>, isolation: Option<&Isolation>) -> Result<(), Error> {
    let Some(isolation) = isolation else {
        return Ok(());
    };
    let required = match wish {
        Some(SandboxWish::Required) => true,
        Some(SandboxWish::Best | SandboxWish::Off) => false,
        None => isolation.kernel_able,
    };
    if required && !isolation.is_full() {
        return Err(Error::Incomplete(format!(
            "the sandbox is not what it has to be: {}\n    --sandbox best judges with what there is",
            isolation.missing()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::isolation::Part;

    #[test]
    fn less_than_the_kernel_has_is_refused_unless_asked_for() {
        let mut isolation = Isolation::none("old");
        for (wish, able, accepted) in [
            (None, false, true),
            (None, true, false),
            (Some(SandboxWish::Required), false, false),
            (Some(SandboxWish::Best), true, true),
        ] {
            isolation.kernel_able = able;
            assert_eq!(check(wish, Some(&isolation)).is_ok(), accepted, "{wish:?}");
        }
        isolation.files = Part::Holds;
        let error = check(Some(SandboxWish::Required), Some(&isolation)).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("network") && !text.contains("files"),
            "{text}"
        );
        assert_eq!(granted(None).level, "off");
    }
}
