//! A baseline: the findings of one server that are accepted, each for a reason.

use std::path::Path;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::Deserializer;
use toml::Spanned;

use super::source::{ConfigError, Source, read};
use super::value::{Date, Glob, NotEmpty, Version, parsed, requirement};
use crate::judge::Verdict;
use crate::spec::{RequirementId, Revision, UnknownRevision};

/// The accepted findings of one server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "A baseline of mcp-plumb"))]
#[serde(deny_unknown_fields)]
pub struct BaselineFile {
    /// The version of this form: 1.
    #[serde(default)]
    pub version: Version,
    /// What is accepted.
    #[serde(default)]
    pub accept: Vec<Accept>,
}

/// Findings that are accepted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Accept {
    /// What is broken.
    #[serde(deserialize_with = "requirement")]
    pub requirement: RequirementId,
    /// The cases that show it.
    pub case: Glob,
    /// A date, or "*" for every revision.
    #[serde(deserialize_with = "parsed")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub revision: RevisionScope,
    /// How heavy it is.
    #[serde(deserialize_with = "found")]
    #[cfg_attr(test, schemars(with = "Found"))]
    pub verdict: Verdict,
    /// Why it is accepted.
    pub reason: NotEmpty,
    /// The last day on which it is.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<String>", extend("format" = "date")))]
    pub expires: Option<Date>,
    /// Where more is said, such as an issue.
    #[serde(default)]
    pub link: Option<NotEmpty>,
}

/// In which revisions a finding is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionScope {
    /// In all.
    Any,
    /// In this one.
    One(Revision),
}

impl FromStr for RevisionScope {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        if text == "*" { Ok(Self::Any) } else { text.parse().map(Self::One) }
    }
}

/// What a finding can be worth.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Found {
    /// A MUST is broken.
    Fail,
    /// A SHOULD is broken, or the peer is not robust.
    Warn,
    /// A hint.
    Info,
}

fn found<'de, D: Deserializer<'de>>(from: D) -> Result<Verdict, D::Error> {
    Ok(match Found::deserialize(from)? {
        Found::Fail => Verdict::Fail,
        Found::Warn => Verdict::Warn,
        Found::Info => Verdict::Info,
    })
}

/// Where the entries stand.
#[derive(Deserialize)]
struct Places {
    #[serde(default)]
    accept: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    requirement: Spanned<String>,
}

impl BaselineFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or its text is wrong.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::read(&read(path)?, &path.display().to_string())
    }

    /// Reads a text; `origin` names it in errors.
    ///
    /// # Errors
    /// The text is wrong; the error shows the place.
    pub fn read(text: &str, origin: &str) -> Result<Self, ConfigError> {
        let source = Source { text, origin };
        let file: Self = source.parse()?;
        let places: Places = source.parse()?;
        for (index, (entry, place)) in file.accept.iter().zip(&places.accept).enumerate() {
            if file.accept[..index].iter().any(|earlier| earlier.is_about_the_same(entry)) {
                return Err(source.refuse(place.requirement.span(), "an earlier entry accepts just this"));
            }
        }
        Ok(file)
    }
}

impl Accept {
    /// Two such entries would hide that one of them is stale.
    fn is_about_the_same(&self, other: &Self) -> bool {
        (&self.requirement, &self.case, self.revision, self.verdict)
            == (&other.requirement, &other.case, other.revision, other.verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract;

    const EXAMPLE: &str = include_str!("../../../schemas/examples/baseline.toml");
    const ENTRY: &str =
        "[[accept]]\nrequirement = 'stdio.stdout-pure'\ncase = '**'\nrevision = '*'\nverdict = 'fail'\n";

    #[test]
    fn the_contract_is_up_to_date_and_the_example_keeps_to_it() {
        let schema = contract::assert_schema::<BaselineFile>("schemas/baseline.json");
        contract::assert_valid(&schema, &contract::json_of_toml(EXAMPLE));
    }

    #[test]
    fn the_example_says_what_it_means() {
        let file = BaselineFile::read(EXAMPLE, "baseline.toml").unwrap();
        let [first, second] = &file.accept[..] else { panic!("{file:?}") };
        assert_eq!(first.revision, RevisionScope::One(Revision::V2025_11_25));
        assert_eq!(first.expires, Some(Date { year: 2027, month: 3, day: 31 }));
        assert_eq!((second.revision, second.verdict), (RevisionScope::Any, Verdict::Warn));
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_stands() {
        for (text, place, words) in [
            (ENTRY.to_owned(), "1:1", "missing field `reason`"),
            (format!("{ENTRY}reason = ''"), "6:10", "must not be empty"),
            (format!("{ENTRY}reason = 'a'\nreson = 'b'"), "7:1", "unknown field `reson`"),
            (format!("{ENTRY}reason = 'a'\n{ENTRY}reason = 'b'"), "8:15", "an earlier entry"),
            (ENTRY.replace("stdout-pure", "stdout-poor"), "2:15", "no requirement is named 'stdio.stdout-poor'"),
            (ENTRY.replace("'fail'", "'skip'"), "5:11", "unknown variant `skip`"),
            (ENTRY.replace("'*'", "'2025'"), "4:12", "is not a revision"),
            (format!("{ENTRY}reason = 'a'\nexpires = '2027-01-01'"), "7:11", "expected a TOML datetime"),
            (format!("{ENTRY}reason = 'a'\nexpires = 07:30:00"), "7:11", "expected local date"),
        ] {
            let shown = BaselineFile::read(&text, "b").unwrap_err().to_string();
            assert!(shown.starts_with(&format!("b:{place}: ")) && shown.contains(words), "{text}: {shown}");
        }
    }
}
