//! What `--fault` says.

use super::set::Set;
use super::table::{self, Fault};

/// A fault that was asked for.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// One from the table.
    Named(&'static Fault),
    /// One that sets a member of messages.
    Set(Set),
}

/// Reads the value of `--fault`.
pub(crate) fn choose(text: &str) -> Result<Choice, String> {
    if let Some(rest) = text.strip_prefix("set:") {
        return Set::parse(rest).map(Choice::Set);
    }
    table::named(text).map(Choice::Named).ok_or_else(|| unknown(text))
}

fn unknown(name: &str) -> String {
    let nearest = table::all().map(|fault| (distance(name, fault.name), fault.name)).min();
    match nearest {
        Some((distance, nearest)) if distance <= 2 + name.len() / 4 => {
            format!("there is no fault {name:?}; did you mean {nearest:?}?")
        }
        _ => format!("there is no fault {name:?}; --list-faults names all"),
    }
}

/// How many characters have to be added, left out or replaced to make one text of the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (index, left) in one.chars().enumerate() {
        let mut before = index + 1;
        let mut next = vec![before];
        for (right, pair) in other.chars().zip(row.windows(2)) {
            let &[diagonal, above] = pair else { break };
            before = (diagonal + usize::from(left != right)).min(above + 1).min(before + 1);
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_counts_single_changes() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn a_name_that_is_nearly_right_is_told_the_right_one() {
        assert!(matches!(choose("blank-lines"), Ok(Choice::Named(fault)) if fault.name == "blank-lines"));
        assert!(choose("blanklines").unwrap_err().contains("did you mean \"blank-lines\"?"));
        assert!(choose("xyzzy").unwrap_err().contains("--list-faults"));
    }

    #[test]
    fn a_member_is_set_without_a_name() {
        assert!(matches!(choose("set:ping:/result=5"), Ok(Choice::Set(_))));
        assert!(choose("set:ping").is_err());
    }
}
