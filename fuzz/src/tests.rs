//! Runs an oracle on random bytes, the same ones each time.

/// Feeds an oracle until it was put to the test so many times. Panics when too few inputs do so.
pub(crate) fn test_n_times(n: usize, oracle: fn(&[u8]) -> bool) {
    const PATIENCE: usize = 20;
    let mut random = Random(0);
    let mut done = 0;
    for _ in 0..n * PATIENCE {
        // Most inputs are short, where the edges are.
        let longest = 1 << random.below(11);
        let length = random.below(longest);
        let input: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        done += usize::from(oracle(&input));
        if done == n {
            return;
        }
    }
    panic!("only {done} of {} inputs put the oracle to the test", n * PATIENCE);
}

/// SplitMix64: tests need no better one.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }

    /// Any byte, but often one that means something to a reader of lines.
    fn byte(&mut self) -> u8 {
        const TELLING: &[u8] = b"\n\n\n\r\0{}[]\"\\,: \xff\xef\xbb\xbf";
        let any = self.next().to_le_bytes()[0];
        if self.below(3) == 0 { TELLING[self.below(TELLING.len())] } else { any }
    }
}
