//! What characters do to the text around them.

/// Whether `c` changes how others are shown: bidirectional controls and zero widths.
#[must_use]
pub fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
