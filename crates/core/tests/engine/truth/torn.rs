//! A process that dies while it writes a record and its rulings: every prefix of the bytes is a consistent memory.

use std::fs;

use crate::common::{Workshop, capture_of, list_all, times_recalled};

#[test]
fn every_prefix_of_a_retirement_is_a_sound_memory() {
    let (old, new) = ("The gateway timeout is 30 s", "The gateway timeout is 60 s");
    let workshop = Workshop::new();
    let mut memory = workshop.open();
    memory.capture(capture_of("lesson", old)).unwrap();
    let before = fs::read(workshop.raw_log()).unwrap();
    workshop.clock.advance(1000);
    assert_eq!(memory.capture(capture_of("lesson", new)).unwrap().retired.len(), 1);
    let whole = fs::read(workshop.raw_log()).unwrap();
    drop(memory);
    for len in before.len()..=whole.len() {
        let torn = Workshop::new();
        fs::create_dir_all(torn.forge()).unwrap();
        fs::write(torn.raw_log(), &whole[..len]).unwrap();
        let mut memory = torn.open();
        let (has_old, has_new) = (times_recalled(&mut memory, old), times_recalled(&mut memory, new));
        assert_eq!(has_old.max(has_new), 1, "{len}: something holds");
        assert!(has_old + has_new <= 2);
        if len + 1 >= whole.len() {
            assert_eq!((has_old, has_new), (usize::from(len < whole.len() && has_old == 1), 1));
        }
        // What comes next is stored, whatever the tail.
        torn.clock.advance(2000);
        assert!(
            memory
                .capture(capture_of("lesson", "Next comes another line"))
                .unwrap()
                .captured
        );
        assert!(list_all(&mut memory).len() >= 2);
    }
}
