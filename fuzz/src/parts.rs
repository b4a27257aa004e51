//! Inputs that are several files: a line `=== PATH` begins each. So a seed is read and edited like
//! any text, and a fuzzer takes files apart and puts them together by single lines.

/// What begins a line before the file that it names.
const MARK: &[u8] = b"=== ";

/// The files in `bytes` with their paths, in order. What stands before the first is left out; a
/// path that is no UTF-8 names no file.
pub fn files(bytes: &[u8]) -> Vec<(&str, &[u8])> {
    let mut files = Vec::new();
    let mut rest = next(bytes);
    while let Some(file) = rest {
        let end = file.iter().position(|byte| *byte == b'\n');
        let (path, text) = file.split_at(end.unwrap_or(file.len()));
        let text = text.get(1..).unwrap_or_default();
        rest = next(text);
        let behind = rest.map_or(0, |rest| rest.len() + MARK.len());
        let own = text.get(..text.len() - behind).unwrap_or_default();
        files.extend(std::str::from_utf8(path).ok().map(|path| (path, own)));
    }
    files
}

/// What stands behind the next mark that begins a line.
fn next(text: &[u8]) -> Option<&[u8]> {
    let begins = |at: &usize| *at == 0 || text.get(at - 1) == Some(&b'\n');
    let marks = text.windows(MARK.len()).enumerate();
    let mut marks = marks
        .filter(|(_, window)| *window == MARK)
        .map(|(at, _)| at);
    text.get(marks.find(begins)? + MARK.len()..)
}
