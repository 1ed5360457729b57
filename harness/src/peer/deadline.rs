//! A point in time by which something must be over.

use std::time::{Duration, Instant};

/// Far enough to mean "never", near enough to be added to any clock reading.
const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// An absolute deadline. It is set once and passed down, so that no wait is ever re-armed by what arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// The deadline that lies `wait` from now.
    pub fn after(wait: Duration) -> Self {
        Self::since(Instant::now(), wait)
    }

    /// The deadline that lies `wait` after `start`.
    pub fn since(start: Instant, wait: Duration) -> Self {
        Self(start.checked_add(wait).unwrap_or_else(|| start + NEVER))
    }

    /// The deadline at a given instant.
    pub fn at(instant: Instant) -> Self {
        Self(instant)
    }

    /// The one of two deadlines that comes first.
    #[must_use]
    pub fn earlier(self, other: Self) -> Self {
        self.min(other)
    }

    /// The time that is left, zero once it has passed.
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether the time is up.
    pub fn passed(self) -> bool {
        Instant::now() >= self.0
    }

    /// The instant itself.
    pub fn instant(self) -> Instant {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_beyond_the_clock_is_far_away() {
        let deadline = Deadline::after(Duration::MAX);
        assert!(!deadline.passed());
        assert!(deadline.remaining() > Duration::from_secs(3600));
    }

    #[test]
    fn the_earlier_of_two_wins() {
        let now = Instant::now();
        let first = Deadline::at(now);
        let second = Deadline::since(now, Duration::from_secs(60));
        assert_eq!(second.earlier(first), first);
        assert!(first.passed());
        assert_eq!(first.remaining(), Duration::ZERO);
    }
}
