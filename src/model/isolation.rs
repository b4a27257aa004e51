//! What keeps a process from the rest of the machine, part by part, as a trial found it.

use serde::{Deserialize, Serialize};

use super::report::Sandbox;

/// One part of the isolation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A trial process was kept from it.
    Holds,
    /// Nothing to keep it from: we have no rights that the user of the process lacks.
    NotNeeded,
    /// It cannot be had here, and why.
    Missing(String),
}

impl Part {
    /// Whether it is in force.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self {
            Self::Holds => true,
            Self::NotNeeded | Self::Missing(_) => false,
        }
    }

    /// Why it is not there, if it should be.
    #[must_use]
    pub fn missing(&self) -> Option<&str> {
        match self {
            Self::Holds | Self::NotNeeded => None,
            Self::Missing(why) => Some(why),
        }
    }
}

/// All parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    /// Files outside of what is granted cannot be opened (Landlock).
    pub files: Part,
    /// No TCP port can be bound or connected to (Landlock).
    pub network: Part,
    /// No signal and no abstract socket reaches processes outside (Landlock).
    pub scope: Part,
    /// Sockets, namespaces and what else no program needs are refused (seccomp).
    pub calls: Part,
    /// A user of the process's own, without capabilities, where we are root.
    pub identity: Part,
    /// Whether the kernel has all that is needed for the whole of it.
    pub kernel_able: bool,
}

impl Isolation {
    /// Nothing, for one reason.
    #[must_use]
    pub fn none(why: &str) -> Self {
        let missing = || Part::Missing(why.to_owned());
        Self {
            files: missing(),
            network: missing(),
            scope: missing(),
            calls: missing(),
            identity: missing(),
            kernel_able: false,
        }
    }

    /// The parts with their names.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, &Part); 5] {
        [
            ("files", &self.files),
            ("network", &self.network),
            ("signals", &self.scope),
            ("system calls", &self.calls),
            ("user", &self.identity),
        ]
    }

    /// Whether every part is there.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.parts()
            .iter()
            .all(|(_, part)| part.missing().is_none())
    }

    /// What is missing, with the reasons; equal reasons once.
    #[must_use]
    pub fn missing(&self) -> String {
        let mut reasons: Vec<(Vec<&str>, &str)> = Vec::new();
        for (name, part) in self.parts() {
            let Some(why) = part.missing() else { continue };
            match reasons.iter_mut().find(|(_, known)| *known == why) {
                Some((names, _)) => names.push(name),
                None => reasons.push((vec![name], why)),
            }
        }
        let reasons = reasons
            .iter()
            .map(|(names, why)| format!("{} not isolated: {why}", names.join(", ")));
        reasons.collect::<Vec<_>>().join("; ")
    }

    /// The level as reports have it.
    #[must_use]
    pub fn level(&self) -> Sandbox {
        let user = match self.identity {
            Part::Holds => ", a user of its own for every process",
            Part::NotNeeded | Part::Missing(_) => "",
        };
        let (level, why) = if self.is_full() {
            let why = format!("files, network, signals and system calls are isolated{user}");
            ("full", why)
        } else {
            ("partial", self.missing())
        };
        Sandbox {
            level: level.to_owned(),
            why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Isolation {
        Isolation {
            files: Part::Holds,
            network: Part::Holds,
            scope: Part::Holds,
            calls: Part::Holds,
            identity: Part::NotNeeded,
            kernel_able: true,
        }
    }

    #[test]
    fn it_is_full_only_if_nothing_is_missing() {
        assert_eq!(full().level().level, "full");
        let missing = || Part::Missing("Landlock is old".to_owned());
        let partial = Isolation {
            network: missing(),
            scope: missing(),
            ..full()
        };
        let level = partial.level();
        assert_eq!(level.level, "partial");
        assert_eq!(level.why, "network, signals not isolated: Landlock is old");
        assert!(!Isolation::none("no Linux").is_full());
    }
}
