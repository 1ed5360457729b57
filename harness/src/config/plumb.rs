//! `plumb.toml`: the servers of a folder and how they are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use toml::Spanned;

use super::source::{ConfigError, Source, read};
use super::value::{Expression, Glob, NotEmpty, Version, command, json_object, parsed_list, parsed_option, time};
use crate::report::Target;
use crate::run::{Call, RevisionChoice};

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct PlumbFile {
    /// What stands at the top.
    pub settings: Settings,
    /// The servers, in the order of the file.
    pub servers: Vec<Server>,
}

/// A server with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// What stands in its table.
    pub settings: Settings,
}

/// Writes the keys once for the three places where they stand: the top of the file, the table of a server, and what
/// is made of either. A flattened struct would do, but loses the places of errors.
macro_rules! settings {
    ($($(#[$meta:meta])* $key:ident: $type:ty,)*) => {
        /// How a server is started and judged. What is left out is decided by the command line or by default.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub struct Settings {
            $($(#[$meta])* pub $key: $type,)*
        }

        /// The settings of mcp-plumb for the servers of a folder.
        #[derive(Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "plumb.toml of mcp-plumb"))]
        #[serde(deny_unknown_fields)]
        struct FileTable {
            #[serde(default, rename = "version")]
            _version: Version,
            /// Servers with names; each has the keys of this file for itself.
            #[serde(default)]
            server: Vec<ServerTable>,
            $($(#[$meta])* $key: $type,)*
        }

        /// A server with a name.
        #[derive(Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        struct ServerTable {
            /// The name by which reports call it.
            name: NotEmpty,
            $($(#[$meta])* $key: $type,)*
        }

        impl From<FileTable> for PlumbFile {
            fn from(table: FileTable) -> Self {
                Self {
                    settings: Settings { $($key: table.$key,)* },
                    servers: table.server.into_iter().map(Server::from).collect(),
                }
            }
        }

        impl From<ServerTable> for Server {
            fn from(table: ServerTable) -> Self {
                Self { name: table.name.to_string(), settings: Settings { $($key: table.$key,)* } }
            }
        }
    };
}

settings! {
    /// The program and its arguments.
    #[serde(default, deserialize_with = "command")]
    command: Vec<String>,
    /// Variables of its environment.
    #[serde(default, deserialize_with = "environment")]
    env: BTreeMap<String, String>,
    /// Whether the environment is empty but for `env`.
    clear_env: Option<bool>,
    /// Its working folder.
    cwd: Option<PathBuf>,
    /// Whether each process has a home and a temporary folder of its own.
    private_dirs: Option<bool>,
    /// Which revisions are judged: auto, all, or a date.
    #[serde(default, deserialize_with = "parsed_option")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    revision: Option<RevisionChoice>,
    /// Only cases that match are played.
    #[serde(default)]
    case: Vec<Glob>,
    /// Cases that are not played, each with the reason.
    #[serde(default)]
    skip: Vec<Skip>,
    /// Folders with more case files.
    #[serde(default)]
    cases: Vec<PathBuf>,
    /// Calls that may be made.
    #[serde(default, deserialize_with = "calls")]
    #[cfg_attr(test, schemars(with = "Vec<CallTable>"))]
    call: Vec<Call>,
    /// Whether no tool is called but those that `call` names.
    no_calls: Option<bool>,
    /// For the first answer of a process, such as "30s".
    #[serde(default, deserialize_with = "time")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    startup_timeout: Option<Duration>,
    /// For the answer of a request, such as "10s".
    #[serde(default, deserialize_with = "time")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    timeout: Option<Duration>,
    /// For the whole run, such as "2m".
    #[serde(default, deserialize_with = "time")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    budget: Option<Duration>,
    /// Sessions that are active at a time.
    #[cfg_attr(test, schemars(range(min = 1, max = 64)))]
    #[serde(default, deserialize_with = "jobs")]
    jobs: Option<u8>,
    /// The seed of ids and nonces.
    seed: Option<u32>,
    /// Whether each case has a process of its own.
    isolate: Option<bool>,
    /// Whether warnings fail the run.
    strict: Option<bool>,
    /// The file of accepted findings.
    baseline: Option<PathBuf>,
    /// Reports that are written: "FORMAT", or "FORMAT=PATH".
    #[serde(default, deserialize_with = "parsed_list")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    report: Vec<Target>,
    /// What varies in snapshots of this server.
    #[serde(default)]
    placeholder: Vec<Placeholder>,
}

/// Cases that are not played.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// Which cases.
    pub case: Glob,
    /// Why; reports show it.
    pub reason: NotEmpty,
}

/// A part of a transcript that is not the same in every run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// What it looks like.
    #[serde(rename = "match", deserialize_with = "visible")]
    pub matches: Expression,
    /// What a snapshot says in its place.
    pub name: NotEmpty,
}

/// A place for nothing would stand between all letters.
fn visible<'de, D: Deserializer<'de>>(from: D) -> Result<Expression, D::Error> {
    let expression = Expression::deserialize(from)?;
    if expression.fits_nothing() {
        Err(D::Error::custom("this also fits where nothing stands"))
    } else {
        Ok(expression)
    }
}

/// A call that may be made.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct CallTable {
    /// The tool.
    tool: NotEmpty,
    /// Its arguments; left out: built from its schema.
    #[serde(default, deserialize_with = "json_object")]
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, serde_json::Value>>"))]
    arguments: Option<serde_json::Value>,
    /// What the call is good for.
    #[serde(default)]
    is: Vec<Good>,
}

/// What a call is good for.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Good {
    /// It takes longer than a moment, and not longer than the timeout.
    Slow,
    /// Its result is an error of the tool.
    Fails,
    /// The server logs while it runs.
    Logs,
    /// The server asks the user for something.
    Elicits,
    /// The server asks for a completion of a language model.
    Samples,
    /// The server asks for the client's roots.
    Roots,
    /// It can run as a task.
    Task,
    /// The list of tools is another one afterwards.
    #[serde(rename = "changes:tools")]
    ChangesTools,
    /// The list of resources is another one afterwards.
    #[serde(rename = "changes:resources")]
    ChangesResources,
    /// The list of prompts is another one afterwards.
    #[serde(rename = "changes:prompts")]
    ChangesPrompts,
}

impl Good {
    /// The word, as cases ask for it.
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Fails => "fails",
            Self::Logs => "logs",
            Self::Elicits => "elicits",
            Self::Samples => "samples",
            Self::Roots => "roots",
            Self::Task => "task",
            Self::ChangesTools => "changes:tools",
            Self::ChangesResources => "changes:resources",
            Self::ChangesPrompts => "changes:prompts",
        }
    }
}

fn calls<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Call>, D::Error> {
    let tables: Vec<CallTable> = Deserialize::deserialize(from)?;
    let call = |table: CallTable| Call {
        tool: table.tool.to_string(),
        arguments: table.arguments,
        is: table.is.iter().map(|word| word.as_str().to_owned()).collect(),
    };
    Ok(tables.into_iter().map(call).collect())
}

fn environment<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let variables: BTreeMap<String, String> = Deserialize::deserialize(from)?;
    match variables.iter().find(|(name, value)| name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')) {
        Some((name, _)) => Err(D::Error::custom(format!("no environment can hold the variable '{name}'"))),
        None => Ok(variables),
    }
}

fn jobs<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u8>, D::Error> {
    match u8::deserialize(from)? {
        jobs @ 1..=64 => Ok(Some(jobs)),
        _ => Err(D::Error::custom("from 1 to 64 sessions can be active at a time")),
    }
}

/// Where the names stand.
#[derive(Deserialize)]
struct Places {
    #[serde(default)]
    server: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: Spanned<String>,
}

impl PlumbFile {
    /// Reads `plumb.toml` in this folder, if there is one; the folders above are not searched.
    ///
    /// # Errors
    /// It is there and cannot be read, or its text is wrong.
    pub fn find(folder: &Path) -> Result<Option<Self>, ConfigError> {
        match Self::load(&folder.join("plumb.toml")) {
            Ok(file) => Ok(Some(file)),
            Err(ConfigError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a file; its paths are relative to its folder.
    ///
    /// # Errors
    /// It cannot be read, or its text is wrong.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let mut file = Self::read(&read(path)?, &path.display().to_string())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        file.settings.resolve(folder);
        file.servers.iter_mut().for_each(|server| server.settings.resolve(folder));
        Ok(file)
    }

    /// Reads a text; `origin` names it in errors.
    ///
    /// # Errors
    /// The text is wrong; the error shows the place.
    pub fn read(text: &str, origin: &str) -> Result<Self, ConfigError> {
        let source = Source { text, origin };
        let file: Self = source.parse::<FileTable>()?.into();
        let mut names = BTreeSet::new();
        for Named { name } in source.parse::<Places>()?.server {
            if !names.insert(name.get_ref().clone()) {
                return Err(source.refuse(name.span(), "another server has this name"));
            }
        }
        Ok(file)
    }
}

impl Settings {
    fn resolve(&mut self, folder: &Path) {
        let reports = self.report.iter_mut().filter_map(|target| target.path.as_mut());
        for path in self.cwd.iter_mut().chain(&mut self.baseline).chain(&mut self.cases).chain(reports) {
            *path = folder.join(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract;

    const EXAMPLE: &str = include_str!("../../../schemas/examples/plumb.toml");

    fn refusal(text: &str) -> String {
        PlumbFile::read(text, "plumb.toml").unwrap_err().to_string()
    }

    #[test]
    fn the_contract_is_up_to_date_and_the_example_keeps_to_it() {
        let schema = contract::assert_schema::<FileTable>("schemas/plumb.json");
        contract::assert_valid(&schema, &contract::json_of_toml(EXAMPLE));
    }

    #[test]
    fn the_example_says_what_it_means() {
        let file = PlumbFile::read(EXAMPLE, "plumb.toml").unwrap();
        let Settings { command, timeout, report, call, skip, .. } = &file.settings;
        assert_eq!(command, &["node", "server.js"]);
        assert_eq!(timeout, &Some(Duration::from_secs(5)));
        assert_eq!(report.len(), 2);
        assert_eq!(call[0].arguments, Some(json!({"seconds": 1})));
        assert_eq!(call[0].is, ["slow"]);
        assert_eq!(skip[0].case.as_str(), "prompts/**");
        assert_eq!(file.servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), ["python", "go"]);
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plumb.toml");
        std::fs::write(
            &path,
            "cwd = 'lib'\nreport = ['json=out.json', 'text']\n[[server]]\nname = 'a'\nbaseline = 'b'",
        )
        .unwrap();
        let file = PlumbFile::load(&path).unwrap();
        assert_eq!(file.settings.cwd, Some(folder.path().join("lib")));
        assert_eq!(file.settings.report[0].path, Some(folder.path().join("out.json")));
        assert_eq!(file.settings.report[1].path, None);
        assert_eq!(file.servers[0].settings.baseline, Some(folder.path().join("b")));
    }

    #[test]
    fn a_file_is_found_in_its_folder_and_not_from_below() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        std::fs::create_dir(&below).unwrap();
        std::fs::write(folder.path().join("plumb.toml"), "strict = true").unwrap();
        assert_eq!(PlumbFile::find(folder.path()).unwrap().unwrap().settings.strict, Some(true));
        assert_eq!(PlumbFile::find(&below).unwrap(), None);
        std::fs::create_dir(below.join("plumb.toml")).unwrap();
        assert!(matches!(PlumbFile::find(&below), Err(ConfigError::Read { .. })));
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_stands() {
        let shown = refusal("command = ['a']\ntimeout = '5 parsecs'\n");
        assert!(shown.starts_with("plumb.toml:2:11: this is no time"), "{shown}");
        assert!(shown.ends_with("2 | timeout = '5 parsecs'\n  |           ^^^^^^^^^^^"), "{shown}");
        for (text, place, words) in [
            ("comand = ['a']", "1:1", "unknown field `comand`"),
            ("version = 2", "1:11", "version 1"),
            ("command = []", "1:11", "the name of a program"),
            ("revision = '2025-01-01'", "1:12", "is not a revision"),
            ("report = ['json', 'pdf']", "1:19", "'pdf' is no report"),
            ("env = { 'A=B' = 'c' }", "1:7", "'A=B'"),
            ("jobs = 0", "1:8", "from 1 to 64"),
            ("budget = '0s'", "1:10", "longer than nothing"),
            ("[[skip]]\ncase = 'a/*'\nreason = ' '", "3:10", "must not be empty"),
            ("[[skip]]\ncase = 'a/['\nreason = 'b'", "2:8", "no glob"),
            ("[[call]]\ntool = 'a'\nis = ['quick']", "3:7", "unknown variant `quick`"),
            ("[[call]]\ntool = 'a'\narguments = [1]", "3:13", "a table"),
            ("[[placeholder]]\nmatch = '('\nname = 'a'", "2:9", "no regular expression"),
            ("[[placeholder]]\nmatch = 'a*'\nname = 'a'", "2:9", "where nothing stands"),
            ("[[server]]\nname = 'a'\n[[server]]\nname = 'a'", "4:8", "another server"),
            ("[[server]]\nname = 'a'\nserver = []", "3:1", "unknown field `server`"),
        ] {
            let shown = refusal(text);
            assert!(shown.starts_with(&format!("plumb.toml:{place}: ")) && shown.contains(words), "{text}: {shown}");
        }
    }
}
