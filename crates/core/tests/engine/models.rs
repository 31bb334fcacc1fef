//! Selecting models by name: each has vectors of its own, and one that was not measured drops no hits.

use std::sync::Arc;

use crate::common::{Workshop, capture_of};
use forge_memory_core::journal::OsDisk;
use forge_memory_core::recall::Mode;
use forge_memory_core::{
    BackgroundTexts, Environment, Memory, RecallOptions, RecallOutcome, Result, SentenceModels, TextEmbedder,
};

const DIMENSIONS: usize = 32;
/// The model that can be named beside the one that is built in.
const OTHER: &str = "multilingual-e5-small";

/// A model whose vectors are the letters of a text, turned by its name.
#[derive(Debug)]
struct Letters {
    key: String,
    shift: usize,
    is_measured: bool,
    background: Option<Background>,
}

type Background = Arc<BackgroundTexts>;

impl TextEmbedder for Letters {
    fn model(&self) -> &str {
        &self.key
    }

    fn is_installed(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let vector = |text: &&str| {
            let mut vector = vec![0.001; DIMENSIONS];
            for letter in text.bytes().filter(u8::is_ascii_lowercase) {
                vector[(usize::from(letter - b'a') + self.shift) % DIMENSIONS] += 1.0;
            }
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }

    fn background(&self) -> Option<Background> {
        self.background.clone()
    }

    fn is_measured(&self) -> bool {
        self.is_measured
    }
}

#[derive(Debug, Default)]
struct Models {
    /// The user's choice.
    chosen: Option<&'static str>,
    background: Option<Background>,
}

impl SentenceModels for Models {
    fn choose(&self, name: Option<&str>) -> Result<Arc<dyn TextEmbedder>> {
        let name = name.or(self.chosen);
        let (key, shift) = match name {
            None => ("local:measured".to_owned(), 0),
            Some(name) => (format!("local:{name}@{:012x}", name.len()), name.len()),
        };
        Ok(Arc::new(Letters {
            key,
            shift,
            is_measured: name.is_none(),
            background: self.background.clone(),
        }))
    }
}

fn open(workshop: &Workshop, models: Models) -> Memory {
    Memory::open(Environment {
        models: Some(Arc::new(models)),
        ..workshop.environment_on(Arc::new(OsDisk))
    })
}

fn name_model(workshop: &Workshop, memory: &mut Memory, model: &str) {
    let path = workshop.forge().with_file_name(".forge.json");
    std::fs::write(path, format!(r#"{{"embedder":{{"model":"{model}"}}}}"#)).unwrap();
    memory.config();
}

fn fill(memory: &mut Memory, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let word = char::from(b'a' + (number % 26) as u8)
            .to_string()
            .repeat(3 + number % 5);
        let text = format!("note{number} tells cache {word}");
        assert!(memory.capture(capture_of("lesson", &text)).unwrap().captured);
    }
}

fn ask(memory: &mut Memory, query: &str, options: &RecallOptions) -> RecallOutcome {
    memory.recall(query, options).unwrap()
}

fn by(mode: Mode) -> RecallOptions {
    RecallOptions {
        mode,
        ..RecallOptions::default()
    }
}

#[test]
fn each_model_has_its_own_vectors_and_switching_back_reuses_them() {
    let workshop = Workshop::new();
    let mut memory = open(&workshop, Models::default());
    fill(&mut memory, 0..40);
    assert_eq!(memory.vectors().embed_missing(1000).unwrap().made, 40);
    let first = ask(&mut memory, "tells cache", &by(Mode::Meaning));
    assert_eq!(first.mode, Mode::Meaning);
    name_model(&workshop, &mut memory, OTHER);
    let changed = ask(&mut memory, "tells cache", &by(Mode::Meaning));
    assert_eq!(changed.mode, Mode::Words);
    assert!(changed.message.unwrap().contains("no vectors yet"));
    assert_eq!(memory.vectors().coverage().unwrap().covered, 0);
    assert_eq!(memory.vectors().embed_missing(1000).unwrap().made, 40);
    assert_eq!(ask(&mut memory, "tells cache", &by(Mode::Meaning)).mode, Mode::Meaning);
    let path = workshop.forge().with_file_name(".forge.json");
    std::fs::write(path, "{}").unwrap();
    memory.config();
    assert_eq!(memory.vectors().embed_missing(1000).unwrap().made, 0);
    assert_eq!(ask(&mut memory, "tells cache", &by(Mode::Meaning)), first);
}

#[test]
fn two_programs_with_two_models_keep_to_their_own_vectors() {
    let workshop = Workshop::new();
    let chosen = |chosen| Models {
        chosen,
        ..Models::default()
    };
    fill(&mut open(&workshop, Models::default()), 0..40);
    // The vectors of one compared with a query of the other would have other cosines.
    let nearest = |memory: &mut Memory| {
        let answer = ask(memory, "jjj", &by(Mode::Meaning));
        assert_eq!(answer.mode, Mode::Meaning);
        let two = answer.hits.into_iter().take(2);
        two.map(|hit| (hit.text, hit.cosine)).collect::<Vec<_>>()
    };
    // One program computes at a time; another is told to come again.
    let embed_all = |memory: &mut Memory| {
        while memory.vectors().embed_missing(1000).unwrap().is_busy {
            std::thread::yield_now();
        }
    };
    let work = |model| {
        let mut memory = open(&workshop, chosen(model));
        embed_all(&mut memory);
        let alone = nearest(&mut memory);
        for number in 0..20 {
            let text = format!("{} {number}", if model.is_none() { "xxx" } else { "www" });
            memory.capture(capture_of("lesson", &text)).unwrap();
            memory.vectors().embed_missing(3).unwrap();
            assert_eq!(nearest(&mut memory), alone, "{model:?}");
        }
        embed_all(&mut memory);
        memory.vectors().coverage().unwrap()
    };
    let covered = std::thread::scope(|scope| {
        let one = scope.spawn(|| work(None));
        let other = scope.spawn(|| work(Some(OTHER)));
        [one.join().unwrap(), other.join().unwrap()]
    });
    for covered in covered {
        assert!(covered.covered >= 60, "{covered:?}");
    }
}

#[test]
fn a_model_that_was_not_measured_drops_no_hits() {
    let workshop = Workshop::new();
    let mut memory = open(&workshop, Models::default());
    name_model(&workshop, &mut memory, OTHER);
    for numbers in [0..5, 5..65] {
        let count = numbers.end;
        fill(&mut memory, numbers);
        memory.vectors().embed_missing(1000).unwrap();
        for mode in [Mode::Auto, Mode::Meaning] {
            let found = ask(&mut memory, "zzz qqq jjj", &by(mode));
            assert!(!found.hits.is_empty(), "{count} notes, {mode:?}");
        }
    }
}

/// Answers of a model with these vectors of other texts: to a question about the memory, and to one about something else.
fn answers_beside(background: Option<Background>, chosen: Option<&'static str>) -> [Vec<String>; 2] {
    let workshop = Workshop::new();
    let models = Models { chosen, background };
    // A model that was not measured is by a sample of texts, which the name of the project chooses among; that of a folder is random here.
    std::fs::write(workshop.project().join(".forge.json"), r#"{"projectName":"shop"}"#).unwrap();
    let mut memory = open(&workshop, models);
    fill(&mut memory, 0..60);
    memory.vectors().embed_missing(1000).unwrap();
    ["tells cache", "why vow"].map(|query| {
        let hits = ask(&mut memory, query, &by(Mode::Auto)).hits;
        hits.into_iter().map(|hit| hit.text).collect()
    })
}

#[test]
fn a_question_that_is_nearer_to_other_texts_finds_nothing() {
    let shift = OTHER.len();
    let letters = Letters {
        key: String::new(),
        shift,
        is_measured: false,
        background: None,
    };
    let others: Vec<String> = (b'a'..=b'z')
        .map(|letter| format!("{0}{0} why vow", char::from(letter)))
        .collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let unit = |vector: &Vec<f32>| {
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / length).collect::<Vec<f32>>()
    };
    let background: Vec<Vec<f32>> = letters.embed(&others).unwrap().iter().map(unit).collect();
    let off = answers_beside(None, Some(OTHER));
    assert!(off.iter().all(|hits| !hits.is_empty()));
    let beside = |vectors, least| answers_beside(Some(Arc::new(BackgroundTexts { vectors, least })), Some(OTHER));
    let [own, foreign] = beside(background.clone(), 3.0);
    assert_eq!((own, foreign.len()), (off[0].clone(), 0));
    // What a damaged file may say leaves out nothing.
    for useless in [
        Vec::new(),
        background[..8].to_vec(),
        vec![vec![0.0; DIMENSIONS]; 64],
        vec![background[0].clone(); 64],
        vec![vec![f32::NAN; DIMENSIONS]; 64],
        vec![Vec::new(); 64],
    ] {
        assert_eq!(beside(useless, 3.0), off);
    }
    // Nor does a model that misses a question of its own measurement.
    assert_eq!(beside(background, -0.1), off);
}
