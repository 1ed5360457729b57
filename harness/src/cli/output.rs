//! Where results go: stdout and files. Paths are tried before the run; files are written whole or not at all.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal as _, Write as _};
use std::path::Path;

use super::args::ReportArgs;
use super::destination::Destination;
use super::{CliError, interrupt};
use crate::exit::ExitCode;
use crate::log::Log;
use crate::report::{Detail, Format, Report, Target, text};

/// Where the reports of a run go.
pub(super) struct Reports {
    to_stdout: Vec<Format>,
    to_files: Vec<(Format, Destination)>,
    log: Option<Destination>,
}

/// Opens what the run will write. Without a report to stdout there is the text report.
pub(super) fn open(targets: &[Target], log: Option<&Path>) -> Result<Reports, CliError> {
    let mut reports = Reports { to_stdout: Vec::new(), to_files: Vec::new(), log: None };
    for target in targets {
        match &target.path {
            None => reports.to_stdout.push(target.format),
            Some(path) => reports.to_files.push((target.format, Destination::open(path)?)),
        }
    }
    if reports.to_stdout.is_empty() {
        reports.to_stdout.push(Format::Text);
    }
    reports.log = log.map(Destination::open).transpose()?;
    Ok(reports)
}

impl Reports {
    /// Writes all reports of a run.
    pub(super) fn write(self, log: &Log, verbose: bool) -> Result<(), CliError> {
        interrupt::writing();
        let detail = if verbose { Detail::Full } else { Detail::Short };
        for (format, file) in self.to_files {
            let plain = match format {
                Format::Text => anstream::adapter::strip_str(&text(log, detail)).to_string(),
                Format::Json => Report::from(log).render(),
            };
            file.finish(plain.as_bytes())?;
        }
        if let Some(file) = self.log {
            let mut bytes = Vec::new();
            log.write(&mut bytes).map_err(|error| CliError::Output(format!("the log cannot be written: {error}")))?;
            file.finish(&bytes)?;
        }
        for format in self.to_stdout {
            match format {
                Format::Text => print(&text(log, detail))?,
                Format::Json => print(&Report::from(log).render())?,
            };
        }
        Ok(())
    }
}

/// Prints to stdout; colours are stripped where it is no terminal. A reader that has gone away is no error.
pub(super) fn print(text: &str) -> Result<ExitCode, CliError> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::Output(format!("stdout cannot be written: {error}")))
        }
        _ => Ok(ExitCode::Conformant),
    }
}

/// One line on a terminal's stderr that says what the run is doing; nothing where nobody watches.
pub(super) fn progress(quiet: bool) -> impl Fn(&str) + Sync {
    let shown = !quiet && io::stderr().is_terminal();
    move |what| {
        if shown {
            // What cannot be shown is no reason to stop.
            let _ = write!(io::stderr().lock(), "\r\x1b[K{what} …");
        }
    }
}

/// Takes the progress line away again.
pub(super) fn end_progress(quiet: bool) {
    if !quiet && io::stderr().is_terminal() {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
}

/// Renders the log of an earlier run; the exit code is that run's.
pub(super) fn report(args: &ReportArgs) -> Result<ExitCode, CliError> {
    let name = args.log.display();
    let file = File::open(&args.log).map_err(|error| CliError::Usage(format!("{name} cannot be read: {error}")))?;
    let log = Log::read(BufReader::new(file)).map_err(|error| CliError::Usage(format!("{name}: {error}")))?;
    open(&args.report, None)?.write(&log, args.verbose)?;
    Ok(log.exit_code())
}
