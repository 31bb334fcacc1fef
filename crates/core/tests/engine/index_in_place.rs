//! Index files that are truncated or overwritten while they are open cause no signal and no wrong answer.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Workshop, capture_lessons, lesson, times_recalled};
use forge_memory_core::RecallOptions;

const LESSONS: usize = 6000;

fn segments(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(root.join("index")).unwrap() {
        let path = folder.unwrap().path();
        if path.is_dir() {
            let files = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
            found.extend(files.filter(|path| path.extension().is_some_and(|end| end == "seg")));
        }
    }
    found
}

type Spoil = fn(&Path);

fn shorten(path: &Path) {
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(100)
        .unwrap();
}

fn overwrite(path: &Path) {
    use std::io::Write;
    let len = fs::metadata(path).unwrap().len();
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all(&vec![0xa5; usize::try_from(len).unwrap()]).unwrap();
}

#[test]
fn answers_do_not_depend_on_the_state_of_the_index_files() {
    let workshop = Workshop::new();
    let mut writer = workshop.open();
    capture_lessons(&mut writer, 0..LESSONS);
    writer.settle().unwrap();
    drop(writer);
    for spoil in [shorten as Spoil, overwrite] {
        let mut open = workshop.open();
        // A little of every segment is in memory now, and most of it is not.
        assert_eq!(times_recalled(&mut open, lesson(3).body.as_deref().unwrap()), 1);
        let files = segments(&workshop.forge());
        assert!(!files.is_empty());
        let sound: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).unwrap()).collect();
        files.iter().for_each(|path| spoil(path));

        for number in [LESSONS - 1, 17, LESSONS / 2] {
            let text = lesson(number).body.unwrap();
            assert_eq!(times_recalled(&mut open, &text), 1, "lesson {number}");
            assert!(open.capture(lesson(number)).unwrap().deduped, "lesson {number}");
        }
        let options = RecallOptions {
            limit: Some(1.0),
            ..RecallOptions::default()
        };
        let (newest, total) = open.list(&options).unwrap();
        assert_eq!((newest.len(), total), (1, LESSONS));
        let id = newest[0].id.clone();
        assert!(open.history(&id).unwrap().is_some());
        drop(open);

        let mut fresh = workshop.open();
        assert_eq!(times_recalled(&mut fresh, lesson(40).body.as_deref().unwrap()), 1);
        drop(fresh);
        for (path, bytes) in files.iter().zip(sound) {
            fs::write(path, bytes).unwrap();
        }
    }
}

#[test]
fn a_duplicate_is_found_although_the_index_broke_just_before_the_capture() {
    for number in [LESSONS / 3, 5] {
        let workshop = Workshop::new();
        let mut writer = workshop.open();
        capture_lessons(&mut writer, 0..LESSONS);
        writer.settle().unwrap();
        drop(writer);
        let mut open = workshop.open();
        open.recall("nothing", &RecallOptions::default()).unwrap();
        segments(&workshop.forge()).iter().for_each(|path| shorten(path));
        assert!(open.capture(lesson(number)).unwrap().deduped);
    }
}
