//! Text that is safe inside GitHub's Markdown: it mentions nobody, links nowhere, is no HTML and
//! no marker, and stays within its table cell, whatever a case, a candidate or a model wrote.
//!
//! GitHub looks for mentions and references in the text it has rendered, so an escape in the
//! source does not stop it. What looks like one is shown as code, where it does not look; and
//! the characters that make one never stand beside what they would act on.

use super::plain::plain;
use super::style::one_line;

/// The most bytes of a text in a fence.
const FENCED: usize = 3000;

/// `text` as code within a line.
#[must_use]
pub(super) fn code(text: &str) -> String {
    let line = one_line(text);
    let chars: Vec<char> = line.trim().chars().collect();
    let mut out = String::new();
    let mut piece = String::new();
    for (index, c) in chars.iter().enumerate() {
        if stands_alone(&chars, index) {
            out.push_str(&span(&piece));
            piece.clear();
            out.push_str(&entity(*c));
        } else {
            piece.push(*c);
        }
    }
    out + &span(&piece)
}

/// Whether a character is kept out of code: `|` ends a cell even there, and the others make a
/// tag, a mention, a reference or a link for whoever reads the source less carefully.
fn stands_alone(chars: &[char], index: usize) -> bool {
    match chars[index] {
        '|' | '<' | '@' | '#' => true,
        ':' => chars.get(index + 1) == Some(&'/'),
        '.' => {
            chars[..index]
                .iter()
                .rev()
                .take(3)
                .filter(|c| matches!(c, 'w' | 'W'))
                .count()
                == 3
        }
        _ => false,
    }
}

/// A code span of one piece, with blanks at its ends outside of it.
fn span(piece: &str) -> String {
    let inner = piece.trim();
    if inner.is_empty() {
        return " ".repeat(piece.len().min(1));
    }
    let fence = "`".repeat(longest_run(inner) + 1);
    let pad = if inner.starts_with('`') || inner.ends_with('`') {
        " "
    } else {
        ""
    };
    let before = if piece.starts_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    let after = if piece.ends_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    format!("{before}{fence}{pad}{inner}{pad}{fence}{after}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn entity(c: char) -> String {
    match c {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        _ => format!("&#{};", u32::from(c)),
    }
}

/// `text` as a sentence. What stands between two backticks stays code, and so becomes every word
/// that GitHub might take for a mention, a link, an issue or a commit.
#[must_use]
pub(super) fn prose(text: &str) -> String {
    let line = one_line(text);
    let line = line.trim();
    let parts: Vec<&str> = line.split('`').collect();
    let mut out = String::new();
    if parts.len().is_multiple_of(2) {
        words(&mut out, line);
    } else {
        for (index, part) in parts.into_iter().enumerate() {
            if index % 2 == 0 {
                words(&mut out, part);
            } else {
                push(&mut out, &code(part));
            }
        }
    }
    without_block_start(&out)
}

/// Two code spans side by side would run together into another one.
fn push(out: &mut String, text: &str) {
    if out.ends_with('`') && text.starts_with('`') {
        out.push(' ');
    }
    out.push_str(text);
}

fn words(out: &mut String, text: &str) {
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        if is_reference(word) {
            push(out, &code(word));
        } else {
            word.chars().for_each(|c| out.push_str(&escaped(c)));
        }
    }
}

/// Whether GitHub might make something of a word.
fn is_reference(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let commit =
        |run: &str| (7..=64).contains(&run.len()) && run.bytes().all(|b| b.is_ascii_hexdigit());
    let runs = lower.split(|c: char| !c.is_ascii_alphanumeric());
    lower.contains(['@', '#'])
        || ["://", "www.", "mailto:", "xmpp:", "gh-"]
            .iter()
            .any(|start| lower.contains(start))
        || runs.into_iter().any(commit)
}

/// A character of a sentence, with no meaning in Markdown left.
fn escaped(c: char) -> String {
    match c {
        '*' | '_' | '[' | ']' | '~' => format!("\\{c}"),
        '\\' | '`' | '|' | '<' | '>' | '&' | '$' | '@' | '#' => entity(c),
        _ => c.to_string(),
    }
}

/// A list, a quote, a heading or a rule needs its first character as it is.
fn without_block_start(text: &str) -> String {
    match text.chars().next() {
        Some(first) if first.is_ascii_digit() || matches!(first, '-' | '+' | '=') => {
            format!("{}{}", entity(first), &text[first.len_utf8()..])
        }
        Some(_) | None => text.to_owned(),
    }
}

/// `text` inside an HTML element.
#[must_use]
pub(super) fn html(text: &str) -> String {
    let line = one_line(text);
    let chars: Vec<char> = line.trim().chars().collect();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | ',');
    let shown = |(index, c): (usize, &char)| match plain(*c) && !stands_alone(&chars, index) {
        true => c.to_string(),
        false => entity(*c),
    };
    chars.iter().enumerate().map(shown).collect()
}

/// `text` as a block of code, cut where it is long, with a last newline. Within a block nothing
/// is markup; what a program that only looks at the source would act on is broken all the same.
#[must_use]
pub(super) fn fenced(language: &str, text: &str) -> String {
    let text = plain(text, FENCED);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}\n",
        text.trim_end_matches('\n').replace("<!--", "<! --")
    )
}

/// The same, if there is no need to change anything of `text` for it.
pub(super) fn fenced_as_it_is(language: &str, text: &str) -> Option<String> {
    let block = fenced(language, text);
    let (_, rest) = block.split_once('\n')?;
    let fence = rest.strip_prefix(text)?.strip_prefix('\n')?.trim_end();
    fence.bytes().all(|byte| byte == b'`').then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_outgrows_the_backticks_in_it() {
        assert_eq!(code("a-b/c_d"), "`a-b/c_d`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a``"), "``` `a`` ```");
        assert_eq!(code(" \n "), "");
    }

    #[test]
    fn what_acts_even_in_code_stands_between_pieces_of_it() {
        assert_eq!(code("a|b"), "`a`&#124;`b`");
        assert_eq!(code("x\\|y"), "`x\\`&#124;`y`");
        assert_eq!(code("<!-- m -->"), "&lt;`!-- m -->`");
        assert_eq!(code("@you"), "&#64;`you`");
        assert_eq!(code("https://www.x.y"), "`https`&#58;`//www`&#46;`x.y`");
        assert_eq!(code("o/r#12"), "`o/r`&#35;`12`");
    }

    #[test]
    fn a_sentence_keeps_its_words_and_loses_its_power() {
        assert_eq!(
            prose("pass (match) became fail"),
            "pass (match) became fail"
        );
        assert_eq!(prose("run `a --b` or not"), "run `a --b` or not");
        assert_eq!(prose("`a``b`"), "`a` `b`");
        assert_eq!(prose("one ` of them"), "one &#96; of them");
        assert_eq!(
            prose("*x* _y_ [z](u) ~~s~~"),
            "\\*x\\* \\_y\\_ \\[z\\](u) \\~\\~s\\~\\~"
        );
        assert_eq!(prose("hi @you, see #12"), "hi &#64;`you,` see &#35;`12`");
        assert_eq!(prose("mail a@b.c"), "mail `a`&#64;`b.c`");
        assert_eq!(
            prose("fixes 1234567 and GH-3"),
            "fixes `1234567` and `GH-3`"
        );
        assert_eq!(prose("<b>|</b>\r\nx"), "&lt;b&gt;&#124;&lt;/b&gt; x");
        assert_eq!(prose("\\| \u{202e}a\x1b[0m"), "&#92;&#124; a\\[0m");
    }

    #[test]
    fn a_sentence_starts_no_block() {
        for (text, expected) in [
            ("- a", "&#45; a"),
            ("1. a", "&#49;. a"),
            ("# a", "&#35; a"),
            ("> a", "&gt; a"),
            ("--- ", "&#45;--"),
            ("   a", "a"),
        ] {
            assert_eq!(prose(text), expected);
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fenced("diff", "-a\n+b\n"), "```diff\n-a\n+b\n```\n");
        assert_eq!(
            fenced("", "````\n</details>"),
            "`````\n````\n</details>\n`````\n"
        );
        assert_eq!(fenced("", "a\r\x07\u{202e}b"), "```\nab\n```\n");
        assert_eq!(
            fenced("", "<!-- driftgate -->\n ::error::x\na ##[add-mask]b"),
            "```\n<! -- driftgate -->\n \\::error::x\na ##\\[add-mask]b\n```\n"
        );
        assert!(fenced("", &"x\n".repeat(9000)).len() < 4000);
    }

    #[test]
    fn what_would_have_to_be_changed_is_not_shown_as_it_is() {
        for text in ["a", "\ta\n\n  b", "a ```` b", "a\n```", "<b> @c #1"] {
            assert_eq!(
                fenced_as_it_is("x", text),
                Some(fenced("x", text)),
                "{text}"
            );
        }
        let long = "x".repeat(4000);
        for text in [
            "a\r",
            "a\u{202e}",
            "a\x07",
            "::a",
            "##[a]",
            "<!-- a",
            "a\n",
            &long,
        ] {
            assert_eq!(fenced_as_it_is("x", text), None, "{text}");
        }
    }

    #[test]
    fn nothing_in_an_element_is_markup() {
        assert_eq!(
            html("a<b>&\"@c#1`"),
            "a&lt;b&gt;&amp;&#34;&#64;c&#35;1&#96;"
        );
    }
}
