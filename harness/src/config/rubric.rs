//! A rubric: what a submission earns points for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::source::{ConfigError, Source, read};
use super::step::Step;
use super::value::{Glob, NotEmpty, Version, at_least_one, command, parsed_option, points, requirements, time};
use crate::spec::{RequirementId, Revision};

/// What submissions earn points for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "A rubric of mcp-plumb"))]
#[serde(deny_unknown_fields)]
pub struct RubricFile {
    /// The version of this form: 1.
    #[serde(default)]
    pub version: Version,
    /// What the exercise is called.
    pub title: NotEmpty,
    /// The revision in which submissions are judged; left out: the newest that they speak.
    #[serde(default, deserialize_with = "parsed_option")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub revision: Option<Revision>,
    /// What the exercise asks, by language.
    #[serde(default)]
    pub text: Texts,
    /// How a submission's server is started: the first entry whose file is there.
    #[serde(default)]
    pub command: Vec<CommandFor>,
    /// What is run before: each entry whose file is there, in order.
    #[serde(default)]
    pub build: Vec<CommandFor>,
    /// What is judged.
    #[serde(deserialize_with = "at_least_one")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub item: Vec<Item>,
}

/// A text by language, such as `{ en = "…", ja = "…" }`.
pub type Texts = BTreeMap<String, NotEmpty>;

/// A command for submissions that have a certain file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandFor {
    /// The file.
    #[serde(rename = "match")]
    pub matches: Glob,
    /// The program and its arguments; `{file}` stands for the file, `{dir}` for its folder.
    #[serde(deserialize_with = "command")]
    pub run: Vec<String>,
}

/// One thing that earns points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its id.
    pub id: NotEmpty,
    /// What it earns.
    #[serde(deserialize_with = "points")]
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub points: f64,
    /// What it asks, by language.
    pub text: Texts,
    /// Items above this one without which it cannot be judged.
    #[serde(default)]
    pub requires: Vec<String>,
    /// What a part is worth.
    #[serde(default)]
    pub credit: Credit,
    /// Points that are lost where it fails.
    #[serde(default, deserialize_with = "points")]
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub penalty: f64,
    /// Whether its points come on top of the full score.
    #[serde(default)]
    pub bonus: bool,
    /// For the whole item.
    #[serde(default, deserialize_with = "time")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub timeout: Option<Duration>,
    /// It is earned where no case finds these broken.
    #[serde(default, deserialize_with = "requirements")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub requirements: Vec<RequirementId>,
    /// It is earned where these cases pass.
    #[serde(default)]
    pub cases: Vec<Glob>,
    /// It is earned by these steps.
    #[serde(default)]
    pub step: Vec<Step>,
}

/// What a part of an item is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Credit {
    /// Nothing: all of it or no points.
    #[default]
    All,
    /// Its share of the points.
    Share,
}

/// Where things stand.
#[derive(Deserialize)]
struct Places {
    item: Vec<ItemPlaces>,
}

#[derive(Deserialize)]
struct ItemPlaces {
    id: Spanned<String>,
    #[serde(default)]
    requires: Vec<Spanned<String>>,
    text: Spanned<Texts>,
    #[serde(default)]
    step: Vec<Spanned<toml::Table>>,
}

impl RubricFile {
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
        let mut above = BTreeSet::new();
        for (item, places) in file.item.iter().zip(&places.item) {
            check_item(item, places, &above, &source)?;
            above.insert(item.id.as_str());
        }
        Ok(file)
    }
}

fn check_item(
    item: &Item,
    places: &ItemPlaces,
    above: &BTreeSet<&str>,
    source: &Source<'_>,
) -> Result<(), ConfigError> {
    if above.contains(item.id.as_str()) {
        return Err(source.refuse(places.id.span(), "an earlier item has this id"));
    }
    if let Some(missing) = places.requires.iter().find(|id| !above.contains(id.get_ref().as_str())) {
        return Err(source.refuse(missing.span(), "no item above this one has this id"));
    }
    if item.text.is_empty() {
        return Err(source.refuse(places.text.span(), "the student is told nothing"));
    }
    let ways = [!item.requirements.is_empty(), !item.cases.is_empty(), !item.step.is_empty()];
    if ways.iter().filter(|given| **given).count() != 1 {
        let message = "an item is earned in exactly one way: requirements, cases, or [[item.step]]";
        return Err(source.refuse(places.id.span(), message));
    }
    for (step, place) in item.step.iter().zip(&places.step) {
        if matches!(step, Step::Json(json) if json.like.is_some() == json.schema.is_some()) {
            return Err(source.refuse(place.span(), "a json step has either like or schema"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract;

    const EXAMPLE: &str = include_str!("../../../schemas/examples/rubric.toml");
    const HEAD: &str = "title = 'a'\n[[item]]\nid = 'a'\npoints = 1\ntext = { en = 'b' }\n";

    #[test]
    fn the_contract_is_up_to_date_and_the_example_keeps_to_it() {
        let schema = contract::assert_schema::<RubricFile>("schemas/rubric.json");
        contract::assert_valid(&schema, &contract::json_of_toml(EXAMPLE));
    }

    #[test]
    fn the_example_says_what_it_means_and_shows_every_step() {
        let file = RubricFile::read(EXAMPLE, "rubric.toml").unwrap();
        assert_eq!(file.revision, Some(Revision::V2025_06_18));
        assert_eq!(file.command[0].matches.as_str(), "*.py");
        let steps: BTreeSet<_> =
            file.item.iter().flat_map(|item| &item.step).map(|step| first_word(&format!("{step:?}"))).collect();
        assert_eq!(steps.len(), 7, "{steps:?}");
        assert!(file.item.iter().any(|item| item.bonus && item.credit == Credit::Share));
    }

    fn first_word(text: &str) -> String {
        text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_stands() {
        let cases = "cases = ['ping/**']\n";
        for (text, place, words) in [
            ("title = 'a'\n".to_owned(), "1:1", "missing field `item`"),
            (HEAD.to_owned(), "3:6", "exactly one way"),
            (format!("{HEAD}{cases}requirements = ['stdio.stdout-pure']"), "3:6", "exactly one way"),
            (format!("{HEAD}requirements = ['a', 'b']"), "6:17", "no requirement is named 'a'"),
            (format!("{HEAD}{cases}requires = ['a']"), "7:13", "no item above"),
            (format!("{HEAD}{cases}credit = 'half'"), "7:10", "unknown variant `half`"),
            (format!("{HEAD}{cases}penalty = -1"), "7:11", "0 or more"),
            (format!("{HEAD}{cases}{}{cases}", &HEAD[12..]), "8:6", "an earlier item"),
            (format!("{HEAD}{cases}").replace("{ en = 'b' }", "{}"), "5:8", "told nothing"),
            (format!("{HEAD}[[item.step]]\njson = {{ file = 'a' }}"), "6:1", "either like or schema"),
            (format!("{HEAD}[[item.step]]\njson = {{ like = '{{' }}"), "7:17", "no JSON"),
            (format!("{HEAD}[[item.step]]\nwalk = 1"), "7:1", "unknown variant `walk`"),
            (format!("{HEAD}[[item.step]]\nstdout-pure = false"), "6:1", "true or left out"),
            (format!("{HEAD}[[item.step]]\nsqlite = {{ query = 'q', is = true }}"), "7:30", "texts and numbers"),
            ("title = 'a'\nitem = []".to_owned(), "2:8", "must not be empty"),
            (format!("{HEAD}[[item.step]]\nsession = []"), "6:1", "must not be empty"),
            (format!("{HEAD}[[item.step]]\nanswers = {{ file = 'a', fragments = [] }}"), "7:37", "must not be empty"),
            (format!("{HEAD}[[item.step]]\nstderr = {{ match = 'a' }}"), "7:20", "(?<method>…)"),
            (format!("{HEAD}[[item.step]]\njson = {{ like = '{{seed.a' }}"), "7:17", "{seed.NAME}"),
            (format!("{HEAD}[[item.step]]\njson = {{ like = '{{\"a\":\"{{seed.a\"}}' }}"), "7:17", "{seed.NAME}"),
            (
                format!("{HEAD}[[item.step]]\nrun = {{ command = ['a'] }}\nstderr = {{ match = 'b' }}"),
                "6:1",
                "exactly 1 element",
            ),
        ] {
            let shown = RubricFile::read(&text, "r").unwrap_err().to_string();
            assert!(shown.starts_with(&format!("r:{place}: ")) && shown.contains(words), "{text}: {shown}");
        }
    }

    #[test]
    fn a_drawn_value_may_stand_anywhere_in_a_pattern() {
        let step = r#"[[item.step]]
json = { like = '{"paid": {seed.paid}, "name": "{seed.name}"}' }"#;
        assert!(RubricFile::read(&format!("{HEAD}{step}"), "r").is_ok());
    }
}
