//! Things that may be done only so often.

use std::sync::atomic::{AtomicU32, Ordering};

/// How often something may still be done.
#[derive(Debug)]
pub(crate) struct Quota(AtomicU32);

impl Quota {
    /// Something that may be done so often.
    pub(crate) fn of(times: u32) -> Self {
        Self(AtomicU32::new(times))
    }

    /// Whether it may be done no more.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }

    /// Takes one time, if there is one left. It comes back unless it is [spent](Share::spend).
    pub(crate) fn take(&self) -> Option<Share<'_>> {
        let taken = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        taken.is_ok().then(|| Share(self))
    }
}

/// One time.
#[derive(Debug)]
pub(crate) struct Share<'a>(&'a Quota);

impl Share<'_> {
    /// Says that it was done, and how often it may be done yet.
    pub(crate) fn spend(self) -> u32 {
        let left = self.0.0.load(Ordering::SeqCst);
        std::mem::forget(self);
        left
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_done_does_not_count() {
        let quota = Quota::of(2);
        drop(quota.take().unwrap());
        assert_eq!(quota.take().unwrap().spend(), 1);
        let last = quota.take().unwrap();
        assert!(quota.is_spent() && quota.take().is_none());
        drop(last);
        assert_eq!(quota.take().unwrap().spend(), 0);
    }
}
