//! A call that a session makes, as it is written on a command line.

use std::str::FromStr;

use super::super::values::{Call, CallError};

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// Its arguments, the text of a JSON object on one line.
    pub arguments: String,
    /// The name under which the text of its result is kept, where it is.
    pub save: Option<String>,
}

impl FromStr for ToolCall {
    type Err = CallError;

    /// Arguments stay the text that they are: a number in them is not rounded.
    fn from_str(text: &str) -> Result<Self, CallError> {
        let Call { tool, .. } = text.parse()?;
        let arguments = text.split_once('=').map_or("{}", |(_, arguments)| arguments);
        // In valid JSON a line break stands between tokens only.
        Ok(Self { tool, arguments: arguments.replace(['\n', '\r'], " "), save: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_their_digits_and_lose_their_line_breaks() {
        let call: ToolCall = "add={\n\"a\": 18446744073709551616}".parse().unwrap();
        assert_eq!((call.tool.as_str(), call.arguments.as_str()), ("add", "{ \"a\": 18446744073709551616}"));
    }

    #[test]
    fn a_name_alone_is_a_call_without_arguments() {
        assert_eq!("list".parse::<ToolCall>().unwrap().arguments, "{}");
        assert!("list=[1]".parse::<ToolCall>().unwrap_err().to_string().contains("JSON object"));
    }
}
