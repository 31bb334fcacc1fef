//! A segment of the index: bytes that a disk may have damaged or an attacker written.

use std::sync::{Arc, OnceLock};

use forge_memory_core::index::{Entry, Family, Part, Segment, for_each_near};
use forge_memory_core::text::Terms;
use forge_memory_core::thought::{LineKind, id_hash, read_line};

use super::edits::{edit, seal};
use super::index_folder::sample_segment;

pub fn check(input: &[u8]) {
    examine(input.to_vec());
    let mut edited = sample().clone();
    edit(&mut edited, input);
    examine(edited.clone());
    // Damage that no hash gives away.
    seal(&mut edited);
    examine(edited);
}

fn sample() -> &'static Vec<u8> {
    static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let mut sample = sample_segment();
        seal(&mut sample);
        assert!(
            Segment::from_bytes(sample.clone()).is_some(),
            "the header is where it is sealed"
        );
        sample
    })
}

fn examine(bytes: Vec<u8>) {
    let Some(segment) = Segment::from_bytes(bytes) else {
        return;
    };
    let segment = Arc::new(segment);
    let part = Part::Segment(&segment);
    let docs = part.docs();
    let _ = (
        part.words_total(),
        part.kinds().len(),
        segment.threshold(),
        segment.mutations().count(),
    );
    for doc in (0..docs.min(64)).chain([docs.saturating_sub(1), docs, u32::MAX]) {
        let _ = (
            part.span(doc),
            part.id(doc),
            part.exact(doc),
            part.created(doc),
            part.gone(doc),
            part.kind(doc),
        );
        let _ = (
            part.confidence(doc),
            part.confirmed(doc),
            part.expires(doc, i64::MAX),
            part.expires(doc, i64::MIN),
        );
    }
    let mut entry = Entry::default();
    for text in ["pool", "always close the pool after tests", "数据库 кэш"] {
        let line = format!("{{\"id\":\"mem_0\",\"content\":\"{text}\",\"type\":\"lesson\",\"project\":\"shop\"}}");
        let LineKind::Record(fields) = read_line(line.as_bytes()) else {
            panic!("a record");
        };
        entry.take_words(&fields, Family::Thoughts);
        let mut terms = Terms::default();
        terms.add(text);
        part.find_id(id_hash(&fields.id));
        part.for_each_exact(entry.exact, |_| {});
        let mut candidates = 0_u64;
        for_each_near(&[part], &entry, 0.9, |_| candidates += 1);
        for term in terms.words.iter().chain(&terms.extras) {
            if let Some(postings) = part.postings(*term) {
                let mut last = None;
                postings.for_each(|doc, _| {
                    assert!(last.is_none_or(|last| doc > last) || doc == u32::MAX, "postings rise");
                    last = Some(doc);
                });
            }
        }
    }
    for hash in [0, 1, u64::MAX] {
        part.find_id(hash);
        part.for_each_exact(hash, |_| {});
        let _ = part.postings(hash).map(|postings| postings.count());
    }
}
