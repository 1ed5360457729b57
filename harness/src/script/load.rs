//! Case files become scripts: from a text, a file, a folder, or the cases that are built in.
//!
//! This is the one place in this module that touches the file system.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use include_dir::{Dir, include_dir};

use super::convert::{Context, scripts};
use super::excerpt::{Excerpt, LoadError};
use super::file::CaseFile;
use super::{CaseId, Script, playable};

static CASES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../cases");

/// Reads a case: one script, or one for each variant. `origin` names the text in errors.
///
/// # Errors
/// The text is no case; the error shows the place.
pub fn load(text: &str, id: &CaseId, origin: &str) -> Result<Vec<Script>, LoadError> {
    scripts(&parse(text, origin)?, id, text, origin)
}

/// Reads a case of a user: as [`load`], and what would only show while it is played is refused too.
///
/// # Errors
/// The text is no case that can be played; the error shows the place.
pub fn load_own(text: &str, id: &CaseId, origin: &str) -> Result<Vec<Script>, LoadError> {
    let file = parse(text, origin)?;
    let scripts = scripts(&file, id, text, origin)?;
    for script in &scripts {
        let variant = script.id.as_str().split_once('#').map(|(_, variant)| variant);
        playable::check(&file, script, Context { text, origin, known: &script.set, variant })?;
    }
    Ok(scripts)
}

fn parse(text: &str, origin: &str) -> Result<CaseFile, LoadError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let span = error.span().unwrap_or(0..0);
        LoadError::Case(Box::new(Excerpt::new(text, origin, span, error.message())))
    })
}

/// The cases that are built into the harness, by id.
///
/// # Panics
/// Never in a build whose tests pass: they load the same files.
#[must_use]
pub fn embedded() -> &'static [Script] {
    static SCRIPTS: OnceLock<Vec<Script>> = OnceLock::new();
    SCRIPTS.get_or_init(|| load_embedded().expect("the embedded cases are loaded by a test"))
}

fn load_embedded() -> Result<Vec<Script>, LoadError> {
    let mut texts = Vec::new();
    collect(&CASES, &mut texts);
    texts.sort_unstable();
    let mut scripts = Vec::new();
    for (id, path, text) in texts {
        scripts.append(&mut load(text, &id, &format!("cases/{}", path.display()))?);
    }
    Ok(scripts)
}

fn collect<'d>(dir: &'d Dir<'d>, texts: &mut Vec<(CaseId, &'d Path, &'d str)>) {
    texts.extend(dir.files().filter_map(|file| Some((id_of(file.path())?, file.path(), file.contents_utf8()?))));
    dir.dirs().for_each(|dir| collect(dir, texts));
}

/// Reads the case files below a folder, in the order of their ids.
///
/// # Errors
/// The folder or a file in it cannot be read, or a file is no case.
pub fn load_dir(dir: &Path) -> Result<Vec<Script>, LoadError> {
    let mut files = Vec::new();
    walk(dir, &mut files)?;
    let id = |path: PathBuf| Some((path.strip_prefix(dir).ok().and_then(id_of)?, path));
    let mut cases: Vec<_> = files.into_iter().filter_map(id).collect();
    cases.sort_unstable();
    let mut scripts = Vec::new();
    for (id, path) in cases {
        scripts.append(&mut load_own(&read(&path)?, &id, &path.display().to_string())?);
    }
    Ok(scripts)
}

/// Reads one case file; its name without the ending is the id.
///
/// # Errors
/// The file cannot be read or is no case.
pub fn load_file(path: &Path) -> Result<Vec<Script>, LoadError> {
    let id = CaseId::new(path.file_stem().unwrap_or_default().to_string_lossy());
    load_own(&read(path)?, &id, &path.display().to_string())
}

fn read(path: &Path) -> Result<String, LoadError> {
    let fail = |source| LoadError::Read { path: path.to_owned(), source };
    // A pipe would be waited for, and a device may never end.
    if !std::fs::metadata(path).map_err(fail)?.is_file() {
        return Err(fail(io::Error::other("it is no regular file")));
    }
    std::fs::read_to_string(path).map_err(fail)
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), LoadError> {
    let fail = |source| LoadError::Read { path: dir.to_owned(), source };
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        // A link to a folder is not followed: it could lead back here.
        if entry.file_type().map_err(fail)?.is_dir() {
            walk(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The id of the case at this path below the case folder; `None` for the other files there.
fn id_of(path: &Path) -> Option<CaseId> {
    if path.extension()? != "toml" || path == Path::new("ledger.toml") || path.starts_with("labs") {
        return None;
    }
    let stem = path.with_extension("");
    let parts: Vec<_> = stem.iter().map(|part| part.to_string_lossy()).collect();
    Some(CaseId::new(parts.join("/")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Action, Bytes, Cut, Delivery, Like, Need, On, Outcome, Prelude, Reply, Step};
    use super::*;
    use crate::judge::Verdict;
    use crate::spec::{Revision, RevisionSet};

    const HEAD: &str = "title = 'answers'\nrequirements = ['ping.responds']\n";

    fn all(text: &str) -> Vec<Script> {
        load(text, &CaseId::new("area/name"), "case.toml").unwrap()
    }

    /// The only step of a case.
    fn step(text: &str) -> Step {
        all(&format!("{HEAD}[[step]]\n{text}")).remove(0).steps.remove(0)
    }

    /// The excerpt of the error that a text gives behind the head of two lines.
    fn refused(text: &str) -> Excerpt {
        match load(&format!("{HEAD}{text}"), &CaseId::new("area/name"), "case.toml").unwrap_err() {
            LoadError::Case(excerpt) => *excerpt,
            LoadError::Read { .. } => unreachable!("nothing is read from disk"),
        }
    }

    #[test]
    fn the_embedded_cases_load_in_the_order_of_their_ids() {
        let scripts = load_embedded().unwrap();
        assert!(scripts.is_sorted_by_key(|script| script.id.as_str().split('#').next().map(str::to_owned)));
        assert_eq!(embedded(), scripts);
    }

    #[test]
    fn the_embedded_cases_would_be_taken_from_a_user_too() {
        let mut texts = Vec::new();
        collect(&CASES, &mut texts);
        for (id, path, text) in texts {
            load_own(text, &id, &path.display().to_string()).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let script = all(HEAD).remove(0);
        assert_eq!(script.revisions, RevisionSet::ALL);
        assert_eq!((script.session, script.shares), (Prelude::Ready, true));
        assert_eq!(script.steps, []);
        assert!(!all(&format!("{HEAD}session = 'cold'")).remove(0).shares);
        assert!(all(&format!("{HEAD}session = 'cold'\nshares = true")).remove(0).shares);
    }

    #[test]
    fn every_action_is_read() {
        let action = |text: &str| step(text).action.unwrap();
        assert_eq!(action("send = '{\"id\":${id}}'"), Action::Send("{\"id\":${id}}".to_owned()));
        assert_eq!(action("raw = 'text:\\xff'"), Action::Raw(Bytes::Text("\\xff".to_owned())));
        assert_eq!(action("raw = 'hex:ff0A'"), Action::Raw(Bytes::Hex(vec![255, 10])));
        let request = Action::Request {
            method: "a".to_owned(),
            params: Some("{\"x\":null}".to_owned()),
            id: Some("\"7\"".to_owned()),
            cancelled: true,
        };
        let text = "request = { method = 'a', params = { x = '${json:null}' }, id = '7', cancelled = true }";
        assert_eq!(action(text), request);
        let notification = Action::Notification { method: "a".to_owned(), params: None };
        assert_eq!(action("notification = { method = 'a' }"), notification);
        assert_eq!(action("barrier = true"), Action::Barrier);
        assert_eq!(action("close = 'stdin'"), Action::Close(super::super::Channel::Stdin));
        assert_eq!(action("signal = 'HUP'"), Action::Signal(super::super::Signal::Hup));
        assert_eq!(action("pause = '200ms'"), Action::Pause(Duration::from_millis(200)));
        let answer = |reply| Action::Answer { method: "roots/list".to_owned(), reply };
        assert_eq!(action("answer = { method = 'roots/list', never = true }"), answer(Reply::Never));
        let result = "answer = { method = 'roots/list', result = { roots = [] } }";
        assert_eq!(action(result), answer(Reply::Result("{\"roots\":[]}".to_owned())));
        let error = "answer = { method = 'roots/list', error = { code = -1, message = '' } }";
        assert_eq!(action(error), answer(Reply::Error("{\"code\":-1,\"message\":\"\"}".to_owned())));
        assert_eq!(step("within = '2s'").action, None);
    }

    #[test]
    fn delivery_is_read() {
        let steps = all(&format!(
            "{HEAD}[[step]]\nsend='{{}}'\ncount=3\ncut=[1,2]\nhold=true\n[[step]]\nsend='{{}}'\ncut='every'"
        ))
        .remove(0)
        .steps;
        assert_eq!(steps[0].delivery, Delivery { count: 3, cut: Cut::At(vec![1, 2]), hold: true });
        assert_eq!(steps[1].delivery, Delivery { count: 1, cut: Cut::Every, hold: false });
    }

    #[test]
    fn outcomes_are_read() {
        let step = step(
            "request = { method = 'a' }\ntake = { cursor = '/result/nextCursor' }\n[[step.outcome]]\nverdict = 'warn'\n\
             on = 'reply'\nto = '\"a\"'\nlike = '{\"result\":{}}'\nrequirement = 'a.b'\nrevisions = 'modern'\nsays = 'does'",
        );
        let outcome = Outcome {
            verdict: Verdict::Warn,
            on: On::Reply,
            to: Some("\"a\"".to_owned()),
            like: Some(Like("{\"result\":{}}".to_owned())),
            requirement: Some(crate::spec::RequirementId::new("a.b")),
            revisions: RevisionSet::parse("modern").unwrap(),
            says: Some("does".to_owned()),
        };
        assert_eq!(step.outcomes, [outcome]);
        assert_eq!(step.take["cursor"], "/result/nextCursor");
    }

    #[test]
    fn needs_are_read() {
        let needs =
            "needs = ['tools', 'resources.subscribe', 'undeclared:prompts', 'tool:any', 'call:slow', 'pages:tools']";
        let expected = [
            Need::Capability("tools".to_owned()),
            Need::Capability("resources.subscribe".to_owned()),
            Need::Undeclared("prompts".to_owned()),
            Need::Tool("any".to_owned()),
            Need::Call("slow".to_owned()),
            Need::Pages("tools".to_owned()),
        ];
        assert_eq!(all(&format!("{HEAD}{needs}")).remove(0).needs, expected);
    }

    #[test]
    fn variants_make_scripts_of_their_own() {
        let scripts = all(&format!(
            "{HEAD}revisions = 'legacy'\n[[step]]\nsend = '{{\"id\":${{id}}}}'\n[[variant]]\nname = 'zero'\nset = {{ id = '0' }}\n\
             [[variant]]\nname = 'text'\nset = {{ id = '\"\"' }}\ntitle = 'other'\nrevisions = '>=2025-11-25'"
        ));
        assert_eq!(scripts[0].id.as_str(), "area/name#zero");
        assert_eq!((scripts[0].set["id"].as_str(), scripts[0].title.as_str()), ("0", "answers"));
        assert_eq!((scripts[1].id.as_str(), scripts[1].title.as_str()), ("area/name#text", "other"));
        assert_eq!(scripts[1].revisions.iter().collect::<Vec<_>>(), [Revision::V2025_11_25]);
    }

    #[test]
    fn an_error_shows_the_place() {
        let text = format!("{HEAD}revisions = 'legcy'\n");
        let error = load(&text, &CaseId::new("area/name"), "cases/area/name.toml").unwrap_err();
        let expected = "cases/area/name.toml:3:13: 'legcy' is no set of revisions; write all, legacy, modern, a date, or \
             bounds such as \">=2025-06-18,<=2025-11-25\"\n  |\n3 | revisions = 'legcy'\n  |             ^^^^^^^";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn wrong_keys_and_words_are_refused_where_they_stand() {
        for (text, line, column, message) in [
            ("colour = 1", 3, 1, "unknown field `colour`"),
            ("needs = [", 3, 10, ""),
            ("version = 2", 3, 11, "version 1"),
            ("session = 'warm'", 3, 11, "unknown variant `warm`"),
            ("needs = ['tools', 'tool:nice']", 3, 19, "'tool:nice' is no need"),
            ("needs = ['toools']", 3, 10, "'toools' is no need"),
            ("revisions = 'legacy,modern'", 3, 13, "holds no revision"),
            ("[[step]]\nsend = '{}'\nbarrier = true", 5, 11, "`send` and `barrier`"),
            ("[[step]]\nsend = '{'", 4, 8, "this is no JSON"),
            ("[[step]]\nsend = \"{\\n}\"", 4, 8, "no line break"),
            ("[[step]]\nraw = 'hex:f'", 4, 7, "pairs of hexadecimal digits"),
            ("[[step]]\nraw = 'hex:fg'", 4, 7, "pairs of hexadecimal digits"),
            ("[[step]]\nraw = 'text:\\q'", 4, 7, "'\\q' is no escape"),
            ("[[step]]\nraw = 'text:${a'", 4, 7, "is not closed"),
            ("[[step]]\nraw = 'ff'", 4, 7, "begins with"),
            ("[[step]]\nrequest = { method = 'a', params = { x = 2025-11-25 } }", 4, 36, "no dates"),
            ("[[step]]\nrequest = { method = 'a', parms = {} }", 4, 27, "unknown field `parms`"),
            ("[[step]]\nanswer = { method = 'a' }", 4, 10, "one of `result`, `error`"),
            ("[[step]]\nsignal = 'USR1'", 4, 10, "unknown variant `USR1`"),
            ("[[step]]\npause = 'soon'", 4, 9, "no duration"),
            ("[[step]]\ncut = [1]", 4, 7, "`cut` needs an action"),
            ("[[step]]\nbarrier = true\ncut = [1]", 5, 7, "`cut` needs an action"),
            ("[[step]]\nsend = '{}'\ncut = [2, 1]", 5, 7, "ascend"),
            ("[[step]]\nsend = '{}'\ncut = 'never'", 5, 7, "list of offsets"),
            ("[[step]]\ncount = 2", 4, 9, "`count` repeats an action"),
            ("[[step]]\nsend = '{}'\nhold = true", 5, 8, "`hold` needs a next step"),
            ("[[step]]\nsend = '{}'\nhold = true\n[[step]]\nbarrier = true", 5, 8, "`hold` needs a next step"),
            ("[[step]]\ntake = { a = 'result' }", 4, 14, "JSON pointer"),
            ("[[variant]]\nname = 'a'\n[[variant]]\nname = 'a'", 6, 8, "stands twice"),
            ("[[variant]]\nname = 'a b'", 4, 8, "the name of a variant"),
        ] {
            let excerpt = refused(text);
            assert_eq!((excerpt.line, excerpt.column), (line, column), "{text}\n{excerpt}");
            assert!(excerpt.message.contains(message), "{text}\n{excerpt}");
        }
    }

    #[test]
    fn wrong_outcomes_are_refused_where_they_stand() {
        for (text, message) in [
            ("verdict = 'pass'\non = 'answer'", "unknown variant `answer`"),
            ("on = 'reply'\nverdict = 'inconclusive'", "unknown variant `inconclusive`"),
            ("verdict = 'pass'\non = 'exit'\nto = '1'", "`to` belongs to"),
            ("verdict = 'pass'\non = 'silence'\nlike = '{}'", "nothing here"),
            ("verdict = 'pass'\non = 'reply'\nlike = '{'", "this is no JSON"),
            ("verdict = 'pass'\non = 'reply'\nlike = '{\"$typ\":1}'", "'$typ' is no operator"),
            ("verdict = 'pass'\non = 'reply'\nto = 'seven'", "this is no JSON"),
        ] {
            let excerpt = refused(&format!("[[step]]\n[[step.outcome]]\n{text}"));
            assert!(excerpt.message.contains(message), "{text}\n{excerpt}");
            assert_eq!(excerpt.line, 4 + text.lines().count(), "{text}\n{excerpt}");
        }
    }

    #[test]
    fn an_error_of_one_variant_names_it() {
        let text = "[[step]]\nsend = '${body}'\n[[variant]]\nname = 'good'\nset = { body = '{}' }\n\
             [[variant]]\nname = 'bad'\nset = { body = '{' }";
        assert!(refused(text).message.ends_with("(in variant 'bad')"));
    }

    #[test]
    fn a_folder_gives_its_cases_by_id_and_names_the_file_that_is_wrong() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["ledger.toml", "labs/one.toml", "README.md"] {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "no case").unwrap();
        }
        std::fs::create_dir_all(dir.path().join("b/c")).unwrap();
        let case = format!("{HEAD}[[step]]\nbarrier = true\n");
        std::fs::write(dir.path().join("b/c/two.toml"), &case).unwrap();
        std::fs::write(dir.path().join("a.toml"), &case).unwrap();
        let ids: Vec<_> = load_dir(dir.path()).unwrap().into_iter().map(|script| script.id.to_string()).collect();
        assert_eq!(ids, ["a", "b/c/two"]);
        assert_eq!(load_file(&dir.path().join("b/c/two.toml")).unwrap()[0].id.as_str(), "two");

        let wrong = dir.path().join("b/wrong.toml");
        std::fs::write(&wrong, "title = 1").unwrap();
        let error = load_dir(dir.path()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}:1:9: ", wrong.display())), "{error}");
        assert!(load_dir(&dir.path().join("none")).unwrap_err().to_string().contains("cannot be read"));
    }

    #[test]
    fn a_pipe_is_no_case_file_and_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.toml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for error in [load_dir(dir.path()).unwrap_err(), load_file(&pipe).unwrap_err()] {
            assert_eq!(error.to_string(), format!("{} cannot be read: it is no regular file", pipe.display()));
        }
    }
}
