//! Size-tiered compaction, as in log-structured merge trees: chooses the files that are merged into one, so that there are never many files
//! and no entry is rewritten often.

/// The number of files of one tier that are merged into one of the next.
const FAN_OUT: usize = 4;

/// Returns how many files, from the first on, are kept when `new` entries are added; the others are merged with these into one file. Sizes
/// are numbers of entries: those below `smallest` form one tier, and no merged file exceeds `most`.
pub(crate) fn count_kept(sizes: &[u32], new: u32, smallest: u32, most: u32) -> usize {
    let level_of = |size: u32| (size / smallest.max(1)).max(1).ilog2() / FAN_OUT.ilog2();
    let (mut kept, mut sum) = (sizes, new);
    loop {
        let level = level_of(sum);
        let peers = kept.iter().rev().take_while(|size| level_of(**size) <= level).count();
        let (rest, joined) = kept.split_at(kept.len() - peers);
        let all = joined.iter().copied().fold(sum, u32::saturating_add);
        if peers + 1 < FAN_OUT || all > most {
            return kept.len();
        }
        (kept, sum) = (rest, all);
    }
}

#[cfg(test)]
mod tests {
    use super::count_kept;

    #[test]
    fn compaction_keeps_files_few_and_rewrites_each_entry_rarely() {
        let (mut sizes, mut written): (Vec<u32>, u64) = (Vec::new(), 0);
        for _ in 0..3000 {
            let kept = count_kept(&sizes, 32, 256, 1 << 20);
            let joined: u32 = sizes.drain(kept..).sum();
            sizes.push(joined + 32);
            written += u64::from(joined + 32);
            assert!(sizes.len() <= 20, "{sizes:?}");
        }
        assert_eq!(sizes.iter().sum::<u32>(), 96_000);
        assert!(written < 96_000 * 12, "{written}");
    }

    #[test]
    fn no_file_exceeds_the_maximum_size() {
        assert_eq!(count_kept(&[100, 100, 100], 100, 10, 300), 3);
        assert_eq!(count_kept(&[100, 100, 100], 100, 10, 400), 0);
        assert_eq!(count_kept(&[], 5, 10, 100), 0);
    }
}
