//! Gathers the answers to a batch, which leave together (2025-03-26 only).

use std::collections::BTreeMap;

use crate::reply;

/// The most messages that one batch may hold: a short line of many trifles must not cost much memory.
pub(crate) const MOST: usize = 10_000;

/// Where an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Address {
    /// On a line of its own.
    Line,
    /// In the array that answers a batch.
    Batch(BatchId),
}

/// Names a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BatchId(u64);

#[derive(Debug, Default)]
struct Batch {
    owed: usize,
    replies: Vec<Vec<u8>>,
}

/// The batches whose answers are not complete.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    last: u64,
    open: BTreeMap<BatchId, Batch>,
}

impl Batches {
    /// Opens a batch that owes `owed` settlements.
    pub(crate) fn open(&mut self, owed: usize) -> BatchId {
        self.last += 1;
        let id = BatchId(self.last);
        self.open.insert(id, Batch { owed, replies: Vec::new() });
        id
    }

    /// Settles one message of a batch, with its answer or, for a notification or a cancelled request, with none.
    /// The last one gives the line to send, if there is anything to say.
    pub(crate) fn settle(&mut self, id: BatchId, reply: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let batch = self.open.get_mut(&id)?;
        batch.replies.extend(reply);
        batch.owed = batch.owed.saturating_sub(1);
        if batch.owed > 0 {
            return None;
        }
        let replies = self.open.remove(&id)?.replies;
        (!replies.is_empty()).then(|| reply::batch(&replies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_sends_them_all() {
        let mut batches = Batches::default();
        let id = batches.open(3);
        assert_eq!(batches.settle(id, Some(b"1".to_vec())), None);
        assert_eq!(batches.settle(id, None), None);
        assert_eq!(batches.settle(id, Some(b"2".to_vec())), Some(b"[1,2]".to_vec()));
        assert_eq!(batches.settle(id, Some(b"3".to_vec())), None);
    }

    #[test]
    fn a_batch_that_wants_no_answer_gets_none() {
        let mut batches = Batches::default();
        let id = batches.open(1);
        assert_eq!(batches.settle(id, None), None);
    }
}
