//! Digests of COMDAT groups: of code as it would run, not as the unit around it numbers things.

use object::read::{Relocation, RelocationTarget};
use object::{
    File, Object as _, ObjectComdat as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags,
    SectionFlags, SectionIndex, elf,
};
use sha2::{Digest as _, Sha256};

use super::landmarks::{Landmarks, place_in_section};
use super::reader::Budget;
use super::{Comdat, Symbols, Unreadable};

/// What the budget is about.
const BODIES: &str = "bytes in COMDAT groups";

/// Adds the groups of an object. One that is broken or has debug information alone is left out.
pub(super) fn read(
    symbols: &mut Symbols,
    file: &File<'_>,
    budget: &mut Budget,
) -> Result<(), Unreadable> {
    if file.comdats().next().is_none() {
        return Ok(());
    }
    let landmarks = Landmarks::of(file, budget)?;
    for group in file.comdats() {
        let Ok(name) = group.name_bytes() else {
            continue;
        };
        budget.spend(name.len() + 64, "COMDAT groups")?;
        let mut body = Body {
            file,
            landmarks: &landmarks,
            hash: Sha256::new(),
            size: 0,
            budget: &mut *budget,
        };
        let mut is_empty = true;
        for section in group.sections() {
            is_empty &= !body.section(section)?;
        }
        if !is_empty {
            let comdat = Comdat {
                size: body.size,
                digest: body.hash.finalize().into(),
            };
            let name = String::from_utf8_lossy(name).into_owned();
            symbols.comdats.entry(name).or_default().push(comdat);
        }
    }
    Ok(())
}

/// A group's sections on their way into its digest.
struct Body<'a, 'data> {
    file: &'a File<'data>,
    landmarks: &'a Landmarks,
    hash: Sha256,
    size: u64,
    budget: &'a mut Budget,
}

impl Body<'_, '_> {
    /// Adds a section, unless it is of no consequence to what runs; says whether it did.
    fn section(&mut self, index: SectionIndex) -> Result<bool, Unreadable> {
        self.budget.spend(16, BODIES)?;
        let Ok(section) = self.file.section_by_index(index) else {
            return Ok(false);
        };
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            return Ok(false);
        };
        // Neither relocations, which come with their section, nor debug information are loaded.
        if !sh_flags.contains(elf::SHF_ALLOC) {
            return Ok(false);
        }
        self.put(section.name_bytes().unwrap_or_default())?;
        self.put(&section.size().to_le_bytes())?;
        self.put(section.data().unwrap_or_default())?;
        self.size = self.size.saturating_add(section.size());
        for (offset, relocation) in section.relocations() {
            self.put(&offset.to_le_bytes())?;
            self.relocation(&relocation)?;
        }
        Ok(true)
    }

    /// Adds bytes with their length, so that no two sequences read the same.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        self.budget.spend(bytes.len() + 8, BODIES)?;
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
        Ok(())
    }

    fn relocation(&mut self, relocation: &Relocation) -> Result<(), Unreadable> {
        if let RelocationFlags::Elf { r_type } = relocation.flags() {
            self.put(&r_type.0.to_le_bytes())?;
        }
        if let Some((section, start)) = place_in_section(self.file, relocation) {
            return self.constant(section, start, relocation);
        }
        if let RelocationTarget::Symbol(index) = relocation.target() {
            let symbol = self.file.symbol_by_index(index);
            let name = symbol.and_then(|symbol| symbol.name_bytes());
            self.put(name.unwrap_or_default())?;
        }
        self.put(&relocation.addend().to_le_bytes())
    }

    /// Adds what a relocation leads to in a section of the unit: the section's name and, where it
    /// holds constants, the one there. An offset would say where the unit happens to have it.
    fn constant(
        &mut self,
        index: SectionIndex,
        start: i64,
        relocation: &Relocation,
    ) -> Result<(), Unreadable> {
        let Ok(section) = self.file.section_by_index(index) else {
            return Ok(());
        };
        self.put(section.name_bytes().unwrap_or_default())?;
        let offset = usize::try_from(self.landmarks.offset(start, relocation)).ok();
        let data = section.data().unwrap_or_default();
        let rest = offset.and_then(|at| data.get(at..));
        let (Some(offset), Some(rest), true) = (offset, rest, is_constant(section.flags())) else {
            return Ok(());
        };
        let end = self.landmarks.next(index, offset).unwrap_or(data.len());
        let constant = rest.get(..end.saturating_sub(offset)).unwrap_or(rest);
        // Zeros behind it may be no more than room before the next constant.
        let zeros = constant.iter().rev().take_while(|byte| **byte == 0).count();
        self.put(constant.get(..constant.len() - zeros).unwrap_or_default())
    }
}

/// Whether a section is loaded, not written and not run.
fn is_constant(flags: SectionFlags) -> bool {
    let SectionFlags::Elf { sh_flags, .. } = flags else {
        return false;
    };
    sh_flags.contains(elf::SHF_ALLOC)
        && !sh_flags.contains(elf::SHF_WRITE)
        && !sh_flags.contains(elf::SHF_EXECINSTR)
}
