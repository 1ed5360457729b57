//! Exit codes: the same for every report format.

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// The server is conformant.
    Conformant = 0,
    /// There are findings that fail the server.
    Findings = 1,
    /// The command line, a configuration or a case file is wrong.
    Usage = 2,
    /// Nothing could be judged, or not all of it.
    NotJudged = 3,
    /// A bug of ours.
    Bug = 70,
    /// Interrupted.
    Interrupted = 130,
}

impl ExitCode {
    /// The code with this number; `None` where there is none.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Conformant),
            1 => Some(Self::Findings),
            2 => Some(Self::Usage),
            3 => Some(Self::NotJudged),
            70 => Some(Self::Bug),
            130 => Some(Self::Interrupted),
            _ => None,
        }
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What it means, in a few words.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Conformant => "conformant",
            Self::Findings => "findings that fail the server",
            Self::Usage => "the invocation is wrong",
            Self::NotJudged => "not everything could be judged",
            Self::Bug => "a bug of mcp-plumb",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        let all = [
            ExitCode::Conformant,
            ExitCode::Findings,
            ExitCode::Usage,
            ExitCode::NotJudged,
            ExitCode::Bug,
            ExitCode::Interrupted,
        ];
        for code in all {
            assert_eq!(ExitCode::from_number(code.number()), Some(code));
        }
        assert_eq!(ExitCode::from_number(4), None);
    }
}
