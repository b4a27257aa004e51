//! What a compiler or linker read, as it lists it for `make`.

/// The prerequisites of all rules of a Makefile-style list, as gcc and clang (`-MD`) and linkers
/// (`--dependency-file`) write them. Total over any bytes; what is no rule yields nothing.
#[must_use]
pub fn prerequisites(list: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut words = Words { bytes: list };
    let mut after_colon = false;
    while let Some(token) = words.next_token() {
        match token {
            Token::EndOfRule => after_colon = false,
            Token::Target => after_colon = true,
            Token::Word(word) if after_colon => found.push(word),
            Token::Word(_) => {}
        }
    }
    found
}

/// A piece of a dependency list.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(Vec<u8>),
    /// The first word of a rule that ends in a colon.
    Target,
    EndOfRule,
}

/// The words of a list, unescaped.
struct Words<'a> {
    bytes: &'a [u8],
}

impl Words<'_> {
    fn next_token(&mut self) -> Option<Token> {
        self.skip_blanks();
        if *self.bytes.first()? == b'\n' {
            self.bytes = &self.bytes[1..];
            return Some(Token::EndOfRule);
        }
        let mut word = Vec::new();
        let mut colon = false;
        while let Some(&byte) = self.bytes.first() {
            match byte {
                b' ' | b'\t' | b'\n' => break,
                b'\r' if self.bytes.get(1) == Some(&b'\n') => break,
                b'\\' if !self.backslashes(&mut word) => break,
                b'\\' => colon = false,
                b'$' if self.bytes.get(1) == Some(&b'$') => {
                    word.push(b'$');
                    self.bytes = &self.bytes[2..];
                    colon = false;
                }
                _ => {
                    word.push(byte);
                    self.bytes = &self.bytes[1..];
                    colon = byte == b':';
                }
            }
        }
        Some(if colon {
            Token::Target
        } else {
            Token::Word(word)
        })
    }

    /// Skips blanks and continued line ends.
    fn skip_blanks(&mut self) {
        loop {
            self.bytes = match self.bytes {
                [b' ' | b'\t', rest @ ..]
                | [b'\\', b'\n', rest @ ..]
                | [b'\\', b'\r', b'\n', rest @ ..] => rest,
                [b'\r', b'\n', ..] => &self.bytes[1..],
                _ => return,
            };
        }
    }

    /// Takes a run of backslashes with what it escapes into `word`. Backslashes are doubled only
    /// before a blank. Returns false if the word ends here.
    fn backslashes(&mut self, word: &mut Vec<u8>) -> bool {
        let count = self.bytes.iter().take_while(|byte| **byte == b'\\').count();
        let (run, rest) = self.bytes.split_at(count);
        let odd = count % 2 == 1;
        match rest {
            [blank @ (b' ' | b'\t'), rest @ ..] => {
                word.extend_from_slice(&run[..count / 2]);
                if odd {
                    word.push(*blank);
                    self.bytes = rest;
                } else {
                    self.bytes = &self.bytes[count..];
                }
                odd
            }
            [escaped @ (b'#' | b':'), rest @ ..] => {
                word.extend_from_slice(&run[1..]);
                word.push(*escaped);
                self.bytes = rest;
                true
            }
            [b'\n', ..] | [b'\r', b'\n', ..] => {
                word.extend_from_slice(&run[1..]);
                // The last backslash is left for the blanks to skip.
                self.bytes = &self.bytes[count - 1..];
                false
            }
            _ => {
                word.extend_from_slice(run);
                self.bytes = rest;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(list: &str) -> Vec<String> {
        let paths = prerequisites(list.as_bytes());
        paths
            .into_iter()
            .map(|path| String::from_utf8(path).unwrap())
            .collect()
    }

    #[test]
    fn lists_of_compilers_and_linkers_are_read() {
        let gcc =
            "a.o: a.cpp /usr/include/x.h \\\n /usr/include/y.h \\\n  z.h\n\n/usr/include/x.h:\n";
        assert_eq!(
            parsed(gcc),
            ["a.cpp", "/usr/include/x.h", "/usr/include/y.h", "z.h"]
        );
        let bfd = "a: \\\n  /lib/crt1.o \\\n  a.o\n\n/lib/crt1.o:\n\na.o:\n";
        assert_eq!(parsed(bfd), ["/lib/crt1.o", "a.o"]);
        assert_eq!(parsed("a b : c\r\nd: \\\r\n e"), ["c", "e"]);
        assert_eq!(parsed("a:b: c:d\n"), ["c:d"]);
        assert_eq!(parsed("no rule at all"), Vec::<String>::new());
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(
            parsed(r"a.o: with\ blank cash$$.h \#hash.h c\:d.h"),
            ["with blank", "cash$.h", "#hash.h", "c:d.h"]
        );
        assert_eq!(
            parsed(r"a: b\\\ c d\\ e f\g $x"),
            [r"b\ c", r"d\", "e", r"f\g", "$x"]
        );
        assert_eq!(parsed("a: b\\\nc"), ["b", "c"]);
    }

    /// Escapes as gcc does.
    fn escaped(path: &str) -> String {
        let mut text = String::new();
        let mut run = 0;
        for c in path.chars() {
            match c {
                ' ' => text.push_str(&"\\".repeat(run + 1)),
                '#' => text.push('\\'),
                '$' => text.push('$'),
                _ => {}
            }
            run = if c == '\\' { run + 1 } else { 0 };
            text.push(c);
        }
        text
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let _ = prerequisites(&bytes);
        }

        #[test]
        fn bytes_that_matter_are_read_without_a_panic(text in "[a\\\\ \t\r\n:#$]{0,40}") {
            let _ = prerequisites(text.as_bytes());
        }

        #[test]
        fn what_a_compiler_escapes_reads_back(paths in prop::collection::vec("[a$# \\\\]{0,6}z", 0..5)) {
            let words: Vec<_> = paths.iter().map(|path| escaped(path)).collect();
            prop_assert_eq!(parsed(&format!("a.o: {}\n", words.join(" \\\n "))), paths);
        }
    }
}
