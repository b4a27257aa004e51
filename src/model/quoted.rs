//! Names in quotes, as git and compilers write those that are not plain text.

/// What the quotes at the start of `text` hold, and what follows them: `\n` and the like, and a
/// byte that is not printable as three octal digits. `None` where no quote opens or closes, or
/// an escape is none.
#[must_use]
pub fn quoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut bytes = Vec::new();
    loop {
        let (first, behind) = rest.split_first()?;
        let (byte, length) = match first {
            b'"' => return Some((bytes, behind)),
            b'\\' => escape(behind)?,
            plain => (*plain, 0),
        };
        bytes.push(byte);
        rest = behind.get(length..)?;
    }
}

/// The byte that an escape stands for, and how many bytes it has behind its backslash.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    Some(match text.first()? {
        b'a' => (0x07, 1),
        b'b' => (0x08, 1),
        b't' => (b'\t', 1),
        b'n' => (b'\n', 1),
        b'v' => (0x0b, 1),
        b'f' => (0x0c, 1),
        b'r' => (b'\r', 1),
        b'"' => (b'"', 1),
        b'\\' => (b'\\', 1),
        _ => (octal(text.get(..3)?)?, 3),
    })
}

fn octal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_octal = digits.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    u8::from_str_radix(digits, 8).ok().filter(|_| is_octal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_bytes_and_what_follows_is_kept() {
        let all = quoted(br#""a\"\\\t\303\244\377" rest"#);
        assert_eq!(all, Some((b"a\"\\\t\xc3\xa4\xff".to_vec(), &b" rest"[..])));
    }

    #[test]
    fn what_is_not_quoted_whole_is_nothing() {
        for text in [
            "a",
            "",
            "\"a",
            "\"\\",
            "\"\\9",
            "\"\\40",
            "\"\\400\"",
            "\"\\+12\"",
        ] {
            assert_eq!(quoted(text.as_bytes()), None, "{text}");
        }
    }
}
