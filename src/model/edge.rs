//! One step of an experiment: two points that differ in exactly one axis.

use std::collections::BTreeSet;
use std::fmt;

use super::pins::Input;

/// What an experiment moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// Nothing: a repeat.
    None,
    /// Toolchain, system and engine: from the recording machine to this one.
    Machine,
    /// The grader.
    Grader,
    /// The case.
    Case,
    /// The completion.
    Completion,
    /// Several at once, where there is no base to tell them apart.
    Unresolved,
}

impl Axis {
    /// The word used in a row's `path`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Machine => "machine",
            Self::Grader => "grader",
            Self::Case => "case",
            Self::Completion => "completion",
            Self::Unresolved => "unresolved",
        }
    }

    /// The axis an input belongs to.
    #[must_use]
    pub fn of(input: Input) -> Self {
        match input {
            Input::Case => Self::Case,
            Input::Grader => Self::Grader,
            Input::Engine | Input::Toolchain | Input::System => Self::Machine,
            Input::Completion => Self::Completion,
        }
    }

    /// The single axis behind a set of moved inputs; `Unresolved` if there are several.
    #[must_use]
    pub fn single(moved: &BTreeSet<Input>) -> Self {
        let axes: BTreeSet<_> = moved.iter().map(|input| Self::of(*input)).collect();
        match (axes.first(), axes.len()) {
            (None, _) => Self::None,
            (Some(axis), 1) => *axis,
            (Some(_), _) => Self::Unresolved,
        }
    }
}

/// Two points and the axis between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    axis: Axis,
    moved: BTreeSet<Input>,
}

/// An edge was asked for whose points differ in more than its axis: a fault of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotOneAxis {
    /// The axis asked for.
    pub axis: Axis,
    /// What really moved.
    pub moved: BTreeSet<Input>,
}

impl fmt::Display for NotOneAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an edge along {} also moves {:?}",
            self.axis.as_str(),
            self.moved
        )
    }
}

impl std::error::Error for NotOneAxis {}

impl Edge {
    /// An edge along `axis` between points whose inputs differ in `moved`.
    ///
    /// # Errors
    /// When anything off the axis moved. An edge along which nothing moved is an edge along
    /// any axis: a step whose inputs hash the same is no step at all.
    pub fn new(axis: Axis, moved: BTreeSet<Input>) -> Result<Self, NotOneAxis> {
        let allowed = |input: &Input| axis == Axis::Unresolved || Axis::of(*input) == axis;
        if moved.iter().all(allowed) {
            Ok(Self { axis, moved })
        } else {
            Err(NotOneAxis { axis, moved })
        }
    }

    /// The axis.
    #[must_use]
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// What moved along it.
    #[must_use]
    pub fn moved(&self) -> &BTreeSet<Input> {
        &self.moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUTS: [Input; 6] = [
        Input::Case,
        Input::Grader,
        Input::Engine,
        Input::Toolchain,
        Input::System,
        Input::Completion,
    ];
    const AXES: [Axis; 5] = [
        Axis::None,
        Axis::Machine,
        Axis::Grader,
        Axis::Case,
        Axis::Completion,
    ];

    #[test]
    fn an_edge_refuses_whatever_moves_off_its_axis() {
        for axis in AXES {
            for bits in 0..1_u32 << INPUTS.len() {
                let moved: BTreeSet<_> = (0..INPUTS.len())
                    .filter(|bit| bits >> bit & 1 == 1)
                    .map(|bit| INPUTS[bit])
                    .collect();
                let on_axis = moved.iter().all(|input| Axis::of(*input) == axis);
                assert_eq!(
                    Edge::new(axis, moved.clone()).is_ok(),
                    on_axis,
                    "{axis:?} {moved:?}"
                );
            }
        }
    }

    #[test]
    fn only_several_axes_are_unresolved() {
        assert_eq!(Axis::single(&BTreeSet::new()), Axis::None);
        assert_eq!(
            Axis::single(&BTreeSet::from([Input::Toolchain, Input::System])),
            Axis::Machine
        );
        assert_eq!(
            Axis::single(&BTreeSet::from([Input::Grader, Input::Engine])),
            Axis::Unresolved
        );
    }
}
