//! The files that a runner names in variables. A pipe in their place has nobody at its other end:
//! to open or read it could last for ever.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use crate::named;

/// The bytes of the file at `path`, unless they are more than `limit`.
///
/// # Errors
/// It is no regular file, cannot be read, or is too large.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(OpenOptions::new().read(true), path, FileType::is_file)?;
    named::read_open(file, limit)
}

/// Appends `text` to the file at `path`, in one write, so that nothing of another process of this
/// step stands in between. It may be a device, such as `/dev/null`.
///
/// # Errors
/// It is something else, or cannot be written.
pub fn append(path: &Path, text: &str) -> io::Result<()> {
    let takes = |kind: &FileType| kind.is_file() || kind.is_char_device();
    let mut file = open(OpenOptions::new().append(true).create(true), path, takes)?;
    file.write_all(text.as_bytes())
}

/// Opens without waiting for anybody, and only what `is_wanted`.
fn open(
    options: &mut OpenOptions,
    path: &Path,
    is_wanted: impl Fn(&FileType) -> bool,
) -> io::Result<File> {
    let check = |kind: FileType| match is_wanted(&kind) {
        true => Ok(()),
        false => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "is no regular file",
        )),
    };
    // Before, since what is no file may say something else when it is opened.
    match path.metadata() {
        Ok(found) => check(found.file_type())?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = options.custom_flags(flags).open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}
