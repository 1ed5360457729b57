//! Which report is wanted, and where it goes.

use std::path::PathBuf;
use std::str::FromStr;

/// A form of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// For other tools.
    Json,
}

/// A report that is wanted: `FORMAT`, to stdout, or `FORMAT=PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its form.
    pub format: Format,
    /// The file that it goes to; stdout where absent.
    pub path: Option<PathBuf>,
}

/// Why a text names no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no report; write text or json, and =PATH for a file")]
pub struct TargetError(String);

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let (name, path) = match text.split_once('=') {
            Some((name, path)) if !path.is_empty() => (name, Some(PathBuf::from(path))),
            Some(_) => return Err(TargetError(text.to_owned())),
            None => (text, None),
        };
        let format = match name {
            "text" => Format::Text,
            "json" => Format::Json,
            _ => return Err(TargetError(text.to_owned())),
        };
        Ok(Self { format, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_format_and_perhaps_a_path() {
        assert_eq!("json".parse(), Ok(Target { format: Format::Json, path: None }));
        assert_eq!("text=a=b".parse(), Ok(Target { format: Format::Text, path: Some("a=b".into()) }));
        for wrong in ["xml", "json=", ""] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }
}
