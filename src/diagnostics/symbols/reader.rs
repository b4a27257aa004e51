//! From bytes to [`Symbols`]: one object, or every member of an archive.

use std::collections::BTreeMap;

use object::read::archive::ArchiveFile;
use object::{File, Object as _, ObjectKind, ObjectSymbol as _, SymbolFlags, SymbolKind, elf};

use super::comdat;
use super::{Symbol, Symbols, Unreadable};

/// What a file may make us read and keep, in bytes. Tables of a hostile file overlap, so that a
/// short one spells out names and bodies without end.
pub(super) struct Budget(usize);

impl Budget {
    /// Enough for every real file of that length: names share a tail at most a few times.
    fn of(length: usize) -> Self {
        Self(length.saturating_mul(16).saturating_add(1 << 20))
    }

    /// Takes `bytes` from it.
    pub(super) fn spend(&mut self, bytes: usize, what: &'static str) -> Result<(), Unreadable> {
        self.0 = self.0.checked_sub(bytes).ok_or(Unreadable::Limit(what))?;
        Ok(())
    }
}

fn broken(error: object::Error) -> Unreadable {
    Unreadable::Format(error.to_string())
}

pub(super) fn read(bytes: &[u8]) -> Result<Symbols, Unreadable> {
    let mut symbols = Symbols::default();
    let mut budget = Budget::of(bytes.len());
    let is_archive = bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n");
    if is_archive {
        read_archive(&mut symbols, bytes, &mut budget)?;
    } else {
        read_object(&mut symbols, bytes, &mut budget)?;
    }
    for bodies in symbols.comdats.values_mut() {
        bodies.sort();
        bodies.dedup();
    }
    Ok(symbols)
}

fn read_archive(
    symbols: &mut Symbols,
    bytes: &[u8],
    budget: &mut Budget,
) -> Result<(), Unreadable> {
    let archive = ArchiveFile::parse(bytes).map_err(broken)?;
    for member in archive.members() {
        let member = member.map_err(broken)?;
        budget.spend(member.name().len() + 64, "members")?;
        let mut read = || {
            let data = member.data(bytes).map_err(broken)?;
            // A member is read into a table of its own: half of a broken one is not kept.
            let mut alone = Symbols::default();
            read_object(&mut alone, data, budget)?;
            Ok(alone)
        };
        match read() {
            Ok(alone) => add(symbols, alone),
            Err(Unreadable::Format(_)) => {
                let name = String::from_utf8_lossy(member.name()).into_owned();
                symbols.unread.push(name);
            }
            Err(limit @ Unreadable::Limit(_)) => return Err(limit),
        }
    }
    Ok(())
}

/// Adds a member's symbols to the archive's.
fn add(symbols: &mut Symbols, member: Symbols) {
    let tables = [
        (&mut symbols.defined_global, member.defined_global),
        (&mut symbols.defined_weak, member.defined_weak),
        (&mut symbols.local, member.local),
        (&mut symbols.hidden, member.hidden),
        (&mut symbols.undefined, member.undefined),
    ];
    for (table, new) in tables {
        for (name, symbol) in new {
            let known = table.entry(name).or_default();
            known.size = known.size.max(symbol.size);
            known.objects += symbol.objects;
        }
    }
    for (name, bodies) in member.comdats {
        symbols.comdats.entry(name).or_default().extend(bodies);
    }
}

fn read_object(symbols: &mut Symbols, bytes: &[u8], budget: &mut Budget) -> Result<(), Unreadable> {
    let file = File::parse(bytes).map_err(broken)?;
    let is_shared = file.kind() == ObjectKind::Dynamic;
    if is_shared {
        // What others link with is in the dynamic table; the full one, if it is there at all, has
        // what is kept from them.
        for symbol in file.dynamic_symbols() {
            take(symbols, &symbol, budget)?;
        }
    }
    for symbol in file.symbols() {
        if !is_shared || symbol.is_local() {
            take(symbols, &symbol, budget)?;
        }
    }
    comdat::read(symbols, &file, budget)
}

fn take<'data>(
    symbols: &mut Symbols,
    symbol: &impl object::ObjectSymbol<'data>,
    budget: &mut Budget,
) -> Result<(), Unreadable> {
    let is_name = !matches!(symbol.kind(), SymbolKind::Section | SymbolKind::File);
    let name = symbol.name_bytes().map_err(broken)?;
    budget.spend(name.len() + 32, "symbols")?;
    if name.is_empty() || !is_name {
        return Ok(());
    }
    let Some(table) = table_of(symbols, symbol) else {
        return Ok(());
    };
    let entry = table.entry(String::from_utf8_lossy(name).into_owned());
    let known = entry.or_default();
    known.size = known.size.max(symbol.size());
    known.objects = 1;
    Ok(())
}

/// The table that a symbol belongs to. A weak wish belongs to none: its absence is no error.
fn table_of<'symbols, 'data>(
    symbols: &'symbols mut Symbols,
    symbol: &impl object::ObjectSymbol<'data>,
) -> Option<&'symbols mut BTreeMap<String, Symbol>> {
    let (binding, visibility) = match symbol.flags() {
        SymbolFlags::Elf { st_info, st_other } => (st_info.st_bind(), st_other.visibility()),
        SymbolFlags::None | _ => return None,
    };
    let is_weak = binding == elf::STB_WEAK;
    if symbol.is_undefined() {
        return (!is_weak).then_some(&mut symbols.undefined);
    }
    Some(
        if visibility == elf::STV_HIDDEN || visibility == elf::STV_INTERNAL {
            &mut symbols.hidden
        } else if binding == elf::STB_LOCAL {
            &mut symbols.local
        } else if is_weak || binding == elf::STB_GNU_UNIQUE {
            &mut symbols.defined_weak
        } else {
            &mut symbols.defined_global
        },
    )
}
