//! Texts with `${…}` in them, taken apart.

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// `${NAME}`
    Variable(&'t str),
    /// `${json:NAME}`, with the quotes around it if it has some.
    Json(&'t str),
    /// `${repeat:TEXT:N}`
    Repeat(&'t str, usize),
}

/// Why a template cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A variable has no value here.
    #[error("the variable '{0}' has no value here")]
    Unknown(String),
    /// `${` without its `}`.
    #[error("'${{' is not closed; a plain '${{' is written '${{dollar}}{{'")]
    Unclosed,
    /// A `repeat` without a number.
    #[error("a repetition is written '${{repeat:TEXT:N}}'")]
    Repeat,
    /// The result would be longer than 64 MiB.
    #[error("the text grows beyond 64 MiB")]
    TooLong,
    /// A backslash in a raw text that begins no escape.
    #[error("'{0}' is no escape; a raw text knows \\n, \\r, \\t, \\\\ and \\xNN")]
    Escape(String),
}

/// Takes a template apart.
pub(super) fn pieces(template: &str) -> Pieces<'_> {
    Pieces { rest: template, quoted: false }
}

/// The iterator over the pieces of a template.
pub(super) struct Pieces<'t> {
    rest: &'t str,
    /// Whether a quoted `json` variable comes next.
    quoted: bool,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Result<Piece<'t>, TemplateError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let begin = self.rest.find("${").unwrap_or(self.rest.len());
        if begin > 0 && !self.quoted {
            self.quoted = is_quoted_json(self.rest, begin);
            let end = begin - usize::from(self.quoted);
            if end > 0 {
                return Some(Ok(Piece::Text(self.take(end, 0))));
            }
        }
        let open = 2 + usize::from(std::mem::take(&mut self.quoted));
        let piece = self.variable(open);
        if piece.is_err() {
            self.rest = "";
        }
        Some(piece)
    }
}

impl<'t> Pieces<'t> {
    /// Cuts off `len` bytes and skips `skip` more.
    fn take(&mut self, len: usize, skip: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(len);
        self.rest = &rest[skip..];
        taken
    }

    /// The variable at the start of the rest, behind `open` bytes of opening.
    fn variable(&mut self, open: usize) -> Result<Piece<'t>, TemplateError> {
        let quoted = open > 2;
        self.take(open, 0);
        if let Some(body) = self.rest.strip_prefix("repeat:") {
            let (text, times, used) = repetition(body)?;
            self.take("repeat:".len() + used, 0);
            return Ok(Piece::Repeat(text, times));
        }
        let end = self.rest.find('}').ok_or(TemplateError::Unclosed)?;
        let name = self.take(end, 1 + usize::from(quoted));
        Ok(name.strip_prefix("json:").map_or(Piece::Variable(name), Piece::Json))
    }
}

/// Whether the `${` at `begin` opens a `json` variable that stands alone between quotes.
fn is_quoted_json(rest: &str, begin: usize) -> bool {
    let before = &rest[..begin];
    let variable = &rest[begin..];
    variable.starts_with("${json:")
        && before.ends_with('"')
        && !before.ends_with("\\\"")
        && variable.find('}').is_some_and(|end| variable[end + 1..].starts_with('"'))
}

/// Splits `TEXT:N}…` at the first `:N}`: the text, the number and the length of all three.
fn repetition(body: &str) -> Result<(&str, usize, usize), TemplateError> {
    for (colon, _) in body.match_indices(':') {
        let behind = &body[colon + 1..];
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && behind[digits..].starts_with('}') {
            let times = behind[..digits].parse().map_err(|_| TemplateError::TooLong)?;
            return Ok((&body[..colon], times, colon + 1 + digits + 1));
        }
    }
    Err(TemplateError::Repeat)
}

/// The bytes of a raw text: escapes are replaced.
pub(super) fn unescape(text: &str) -> Result<Vec<u8>, TemplateError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = &rest[at..];
        let (byte, len) = match escape.as_bytes().get(1) {
            Some(b'n') => (b'\n', 2),
            Some(b'r') => (b'\r', 2),
            Some(b't') => (b'\t', 2),
            Some(b'\\') => (b'\\', 2),
            Some(b'x') => (hex_pair(escape.as_bytes().get(2..4)).ok_or_else(|| bad_escape(escape))?, 4),
            _ => return Err(bad_escape(escape)),
        };
        bytes.push(byte);
        rest = &escape[len..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

fn bad_escape(escape: &str) -> TemplateError {
    let shown = if escape.starts_with("\\x") { 4 } else { 2 };
    TemplateError::Escape(escape.chars().take(shown).collect())
}

/// The byte that two hexadecimal digits stand for.
pub(super) fn hex_pair(pair: Option<&[u8]>) -> Option<u8> {
    let &[high, low] = pair? else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_apart(template: &str) -> Vec<Piece<'_>> {
        pieces(template).map(Result::unwrap).collect()
    }

    #[test]
    fn variables_are_found_between_texts() {
        let expected = [Piece::Text("a"), Piece::Variable("id"), Piece::Text("}$"), Piece::Variable("nonce")];
        assert_eq!(taken_apart("a${id}}$${nonce}"), expected);
    }

    #[test]
    fn a_json_variable_swallows_its_quotes() {
        let expected = [Piece::Text("{\"params\":"), Piece::Json("params"), Piece::Text("}")];
        assert_eq!(taken_apart(r#"{"params":"${json:params}"}"#), expected);
        assert_eq!(taken_apart(r#""${json:a}""#), [Piece::Json("a")]);
        assert_eq!(taken_apart(r#"${json:a}"#), [Piece::Json("a")]);
        assert_eq!(taken_apart(r#""${json:a}b""#), [Piece::Text("\""), Piece::Json("a"), Piece::Text("b\"")]);
    }

    #[test]
    fn a_repetition_ends_at_the_first_number_before_a_brace() {
        assert_eq!(taken_apart("${repeat:[:3}"), [Piece::Repeat("[", 3)]);
        assert_eq!(
            taken_apart("${repeat:{\"a\"::2}1${repeat:}:2}"),
            [Piece::Repeat("{\"a\":", 2), Piece::Text("1"), Piece::Repeat("}", 2)]
        );
    }

    #[test]
    fn what_is_not_closed_is_refused_once() {
        assert_eq!(pieces("a ${b").collect::<Vec<_>>(), [Ok(Piece::Text("a ")), Err(TemplateError::Unclosed)]);
        assert_eq!(pieces("${repeat:a}").next(), Some(Err(TemplateError::Repeat)));
    }

    #[test]
    fn escapes_stand_for_bytes() {
        assert_eq!(unescape(r"é\xff\n\\n").unwrap(), b"\xc3\xa9\xff\n\\n");
        assert_eq!(unescape(r"a\q").unwrap_err(), TemplateError::Escape("\\q".to_owned()));
        assert_eq!(unescape(r"a\x4").unwrap_err(), TemplateError::Escape("\\x4".to_owned()));
        assert_eq!(unescape("\\").unwrap_err(), TemplateError::Escape("\\".to_owned()));
    }
}
