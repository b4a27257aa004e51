//! Where in a section of an object something begins, as far as symbols and relocations tell: most
//! constants have no symbols of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use object::read::{Relocation, RelocationTarget};
use object::{
    Architecture, File, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationKind,
    SectionIndex, SymbolKind,
};

use super::Unreadable;
use super::reader::Budget;

/// The offsets in each section that symbols and relocations lead to.
pub(super) struct Landmarks {
    offsets: BTreeMap<usize, BTreeSet<usize>>,
    /// Whether an offset that is relative to the code counts from behind its own four bytes.
    is_x86: bool,
}

impl Landmarks {
    pub(super) fn of(file: &File<'_>, budget: &mut Budget) -> Result<Self, Unreadable> {
        let mut landmarks = Self {
            offsets: BTreeMap::new(),
            is_x86: matches!(
                file.architecture(),
                Architecture::X86_64 | Architecture::X86_64_X32 | Architecture::I386
            ),
        };
        for symbol in file.symbols() {
            budget.spend(8, "symbols")?;
            if let (Some(section), Ok(offset)) =
                (symbol.section_index(), usize::try_from(symbol.address()))
            {
                landmarks
                    .offsets
                    .entry(section.0)
                    .or_default()
                    .insert(offset);
            }
        }
        for section in file.sections() {
            for (_, relocation) in section.relocations() {
                budget.spend(8, "relocations")?;
                if let Some((section, start)) = place_in_section(file, &relocation)
                    && let Ok(offset) = usize::try_from(landmarks.offset(start, &relocation))
                {
                    let offsets = landmarks.offsets.entry(section.0).or_default();
                    offsets.insert(offset);
                }
            }
        }
        Ok(landmarks)
    }

    /// Where a relocation leads to in the section that `start` is an offset of.
    pub(super) fn offset(&self, start: i64, relocation: &Relocation) -> i64 {
        let is_absolute = relocation.kind() == RelocationKind::Absolute;
        let behind = if self.is_x86 && !is_absolute { 4 } else { 0 };
        start
            .saturating_add(relocation.addend())
            .saturating_add(behind)
    }

    /// The first offset behind `offset` that something leads to.
    pub(super) fn next(&self, section: SectionIndex, offset: usize) -> Option<usize> {
        let offsets = self.offsets.get(&section.0)?;
        let behind = (Bound::Excluded(offset), Bound::Unbounded);
        offsets.range(behind).next().copied()
    }
}

/// The section and the offset in it that a relocation is against, if it is not against a name
/// that means the same in every unit.
pub(super) fn place_in_section(
    file: &File<'_>,
    relocation: &Relocation,
) -> Option<(SectionIndex, i64)> {
    match relocation.target() {
        RelocationTarget::Symbol(index) => {
            let symbol = file.symbol_by_index(index).ok()?;
            // A unit numbers its own constants: `.LC3`, `.L.str.1`.
            let is_numbered = symbol
                .name_bytes()
                .is_ok_and(|name| name.starts_with(b".L"));
            let is_place = symbol.kind() == SymbolKind::Section || is_numbered;
            let start = i64::try_from(symbol.address()).unwrap_or(0);
            let section = symbol.section_index().filter(|_| is_place)?;
            Some((section, start))
        }
        RelocationTarget::Section(index) => Some((index, 0)),
        RelocationTarget::Absolute | _ => None,
    }
}
