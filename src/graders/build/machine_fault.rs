//! What is said of a process that the machine did not let finish.

use crate::model::observation::Ended;

/// A sentence on a process that the machine did not let finish.
#[must_use]
pub fn machine_fault(what: &str, ended: &Ended) -> String {
    match ended {
        Ended::NotStarted(why) => format!("{what} did not start: {why}"),
        Ended::Lost(why) => format!("{what} was lost: {why}"),
        Ended::Interrupted => format!("{what} was interrupted"),
        Ended::WallLimit { .. } => format!("{what} waited for the machine until its wall limit"),
        Ended::Signal(signal) => format!("{what} was killed by signal {signal}"),
        Ended::Exit(code) => format!("{what} ended with {code}"),
        Ended::CpuLimit => format!("{what} used up its CPU limit"),
        Ended::OutputLimit => format!("{what} wrote without end"),
        Ended::ResourceLimit(resource) => {
            format!(
                "{what} took more {} than any process may",
                resource.as_str()
            )
        }
    }
}
