//! Small models are installed and used; everything else is refused.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forge_memory_core::SentenceModels;
use forge_memory_core::journal::OsDisk;
use serde_json::json;

use super::*;
use crate::background::{Measurement, MeasurementState};
use crate::install::{Installation, Installed};
use crate::model::{ModelFolder, ModelState};
use crate::recipe::TextKind;
use crate::registry::Models;
use crate::shared::InstalledModels;
use crate::tiny::Tiny;

const TEXTS: [&str; 4] = [
    "jest needs windows runner",
    "backup fills disk replica again",
    "rotate key twice year",
    "report slow",
];
const MULTILINGUAL: Option<ModelName> = Some(ModelName::Multilingual);

struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Home {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn begin(&self, name: Option<ModelName>) -> Installation {
        Installation::begin(Arc::new(OsDisk), &self.path(), name, Duration::ZERO).unwrap()
    }

    fn install_from(&self, from: &Path, name: Option<ModelName>) -> Result<Installed> {
        self.begin(name)
            .install(Some(from), || Ok(forge_memory_inference::TABLE))
    }

    fn install(&self, tiny: &Tiny) -> Result<Installed> {
        let from = self.folder.path().join("published");
        tiny.write(&from);
        self.install_from(&from, MULTILINGUAL)
    }

    fn models(&self) -> Models {
        Models::new(Arc::new(OsDisk), &self.path())
    }

    fn model(&self) -> ModelFolder {
        self.models().folder(ModelName::Multilingual)
    }

    /// The code of the error that opening the model fails with.
    fn refusal(&self) -> &'static str {
        Embedder::open(&self.model(), forge_memory_inference::TABLE)
            .unwrap_err()
            .code()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Vec<Vec<f32>> {
        Embedder::open(&self.model(), forge_memory_inference::TABLE)
            .unwrap()
            .embed_as(kind, texts)
            .unwrap()
    }
}

#[test]
fn a_query_and_a_passage_have_the_prefixes_of_the_model() {
    let home = Home::new();
    let model = home.install(&Tiny::of(7)).unwrap();
    assert!(model.changed);
    let vectors = home.embed(TextKind::Passage, &TEXTS);
    assert_eq!(vectors, home.embed(TextKind::Passage, &TEXTS));
    for (at, vector) in vectors.iter().enumerate() {
        assert_eq!(vector.len(), 384);
        assert!((vector.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(
            vector,
            &home.embed(TextKind::Passage, &TEXTS[at..=at])[0],
            "alone or with others"
        );
    }
    assert_ne!(vectors, home.embed(TextKind::Query, &TEXTS));
}

#[test]
fn tokens_beyond_the_maximum_length_are_ignored() {
    let home = Home::new();
    home.install(&Tiny::default()).unwrap();
    // With the prefix and the special tokens, 509 words are 512 tokens.
    let texts = [508, 509, 510, 2000].map(|count| vec!["lock"; count].join(" "));
    let [less, most, more, many] = texts.map(|text| home.embed(TextKind::Passage, &[&text]).swap_remove(0));
    assert_ne!(less, most);
    assert_eq!((&more, &many), (&most, &most));
}

#[test]
fn a_vocabulary_that_does_not_fit_is_refused() {
    let refused = |change: &dyn Fn(&Path)| {
        let home = Home::new();
        let from = home.folder.path().join("published");
        Tiny::default().write(&from);
        change(&from);
        let refused = home.install_from(&from, MULTILINGUAL).unwrap_err();
        assert!(!home.path().join("models").exists(), "nothing is left");
        format!("{} {refused}", refused.code())
    };
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        refused(&|from| {
            let mut tokenizer = crate::tiny::tokenizer();
            change(&mut tokenizer);
            fs::write(from.join("tokenizer.json"), tokenizer.to_string()).unwrap();
        })
    };
    for text in ["", "{}", "[]", "null", "\0\0", "{\"model\":{\"type\":\"WordPiece\"}}"] {
        let said = refused(&|from| fs::write(from.join("tokenizer.json"), text).unwrap());
        assert!(said.starts_with("CORRUPT") && said.contains("tokenizer"), "{said}");
    }
    let said = with(&|tokenizer| {
        let more = json!(["beyond", -1.0]);
        tokenizer["model"]["vocab"].as_array_mut().unwrap().push(more);
    });
    assert!(said.contains("and the table of embeddings"), "{said}");
    // That of a model for English.
    let words = json!({"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100, "vocab": {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}});
    let said = with(&|tokenizer| tokenizer["model"] = words.clone());
    assert!(said.contains("no vocabulary of sentence pieces"), "{said}");
    let said = refused(&|from| fs::remove_file(from.join("tokenizer.json")).unwrap());
    assert!(
        said.contains("contains no model.safetensors with a tokenizer.json"),
        "{said}"
    );
    // A file of 33 MB that takes no room on the disk.
    let said = refused(&|from| {
        let file = fs::File::create(from.join("tokenizer.json")).unwrap();
        file.set_len(TOKENIZER_BYTES_MAX + 1).unwrap();
    });
    assert!(said.contains("at most"), "{said}");
    let said = refused(&|from| {
        let file = fs::File::create(from.join("model.safetensors")).unwrap();
        file.set_len(2 << 30).unwrap();
    });
    assert!(
        said.starts_with("CORRUPT") && said.contains("2147483648 bytes"),
        "{said}"
    );
}

/// Writes an archive with these files.
fn archive(path: &Path, files: &[(String, Vec<u8>)]) {
    let mut archive = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in files {
        archive.start_file(name.as_str(), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
}

#[test]
fn an_archive_is_read_in_place_and_its_names_are_not_used_as_paths() {
    let tiny = Tiny::default();
    let unpacked = Home::new();
    unpacked.install(&tiny).unwrap();
    let wanted = unpacked.embed(TextKind::Passage, &TEXTS);
    for prefix in ["", "package/model/", "../../../", "/etc/"] {
        let home = Home::new();
        let path = home.folder.path().join("multilingual-e5-small.zip");
        let files = tiny.published().into_iter();
        archive(
            &path,
            &files
                .map(|(name, bytes)| (format!("{prefix}{name}"), bytes))
                .collect::<Vec<_>>(),
        );
        // Without a name, it is the model that the archive is named after.
        let installed = home.install_from(&path, None).unwrap();
        assert_eq!(
            (installed.name, installed.folder),
            (ModelName::Multilingual, home.model().path().into())
        );
        assert_eq!(home.embed(TextKind::Passage, &TEXTS), wanted, "{prefix}");
        let mut entries: Vec<_> = fs::read_dir(home.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        entries.sort_unstable();
        assert_eq!(entries, ["home", "multilingual-e5-small.zip"]);
    }
}

#[test]
fn a_decompression_bomb_is_refused_early() {
    let home = Home::new();
    let path = home.folder.path().join("bomb.zip");
    let with = |name: &str, bytes: Vec<u8>| {
        let mut files = Tiny::default().published();
        files
            .iter_mut()
            .filter(|(own, _)| own == name)
            .for_each(|(_, own)| own.clone_from(&bytes));
        archive(&path, &files);
        let refused = home.install_from(&path, MULTILINGUAL).unwrap_err();
        format!("{} {refused}", refused.code())
    };
    let zeros = |len: u64| vec![0; usize::try_from(len).unwrap()];
    assert!(with("tokenizer.json", zeros(TOKENIZER_BYTES_MAX + 1)).contains("more than"));
    // The header is looked at before the rest is unpacked.
    let said = with("model.safetensors", zeros(200 << 20));
    assert!(said.starts_with("CORRUPT"), "{said}");
    assert!(!home.path().join("models").exists());
}

#[test]
fn both_models_can_be_installed_and_one_is_the_default() {
    let home = Home::new();
    let models = home.models();
    let (known, other) = (ModelName::Known, ModelName::Multilingual);
    assert_eq!(models.names(), [known]);
    assert_eq!(models.set_default(other).unwrap_err().code(), "MODEL_MISSING");
    home.install(&Tiny::default()).unwrap();
    assert_eq!(models.names(), [known, other]);
    assert_eq!(models.default_name().unwrap(), known);
    models.set_default(other).unwrap();
    assert_eq!(models.default_name().unwrap(), other);
    // The file may only contain the name of a model.
    for name in ["../../x", "e5-small-v2"] {
        fs::write(
            home.path().join("models/.default.json"),
            json!({"model": name}).to_string(),
        )
        .unwrap();
        assert_eq!(models.default_name().unwrap(), known);
    }
    models.set_default(other).unwrap();
    let installation = home.begin(MULTILINGUAL);
    assert!(installation.remove().unwrap().changed);
    assert!(!installation.remove().unwrap().changed);
    assert_eq!(models.default_name().unwrap(), known, "what was removed is no choice");
    assert_eq!(models.names(), [known]);
    assert!(!home.model().path().exists());
}

#[test]
fn a_model_is_pinned_when_it_is_installed_first() {
    let home = Home::new();
    home.install(&Tiny::of(1)).unwrap();
    let folder = home.model();
    let weights = folder.path().join("model.int8.safetensors");
    let whole = fs::read(&weights).unwrap();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    fs::write(&weights, &flipped).unwrap();
    assert_eq!(home.refusal(), "CORRUPT");
    // Another model does not take its place under its name, and the same one puts it right.
    let refused = home.install(&Tiny::of(2)).unwrap_err();
    assert!(
        refused.to_string().contains("not the model that was installed first"),
        "{refused}"
    );
    assert!(refused.hint().contains("model remove"), "{}", refused.hint());
    assert!(home.install(&Tiny::of(1)).unwrap().changed);
    assert_eq!(fs::read(&weights).unwrap(), whole);
    assert!(!home.install(&Tiny::of(1)).unwrap().changed);
    fs::remove_file(folder.path().join("model.json")).unwrap();
    assert_eq!(home.refusal(), "MODEL_MISSING");
}

#[test]
fn the_manifest_of_another_model_is_refused_and_replaced_by_an_installation() {
    let home = Home::new();
    home.install(&Tiny::of(1)).unwrap();
    let path = home.model().path().join("model.json");
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"format\": 1", "\"format\": 2"),
        ("multilingual-e5-small", "e5-small-v2"),
        ("\"embedding\"", "\"reranking\""),
        ("\"bert\"", "\"mpnet\""),
        ("\"gelu\"", "\"relu\""),
        ("\"hidden\": 384", "\"hidden\": 768"),
        ("\"heads\": 12", "\"heads\": 0"),
        ("\"layerNormEpsilon\": 1e-12", "\"layerNormEpsilon\": 1e-5"),
        ("\"mean\"", "\"cls\""),
        ("\"tokensMax\": 512", "\"tokensMax\": 4000"),
        ("\"query: \"", "\"ask: \""),
        ("tokenizer.json", "../../x"),
        ("{", "[{"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let refused = home.model().manifest().unwrap_err();
        assert_eq!(refused.code(), "CORRUPT", "{to}");
        assert!(refused.hint().contains("model install"), "{to}");
        assert_eq!(
            (home.refusal(), home.model().state().unwrap()),
            ("CORRUPT", ModelState::Damaged),
            "{to}"
        );
    }
    fs::write(&path, text.replace("\"bert\"", "\"mpnet\"")).unwrap();
    let refused = home.model().manifest().unwrap_err().to_string();
    assert!(
        refused.contains("another model (multilingual-e5-small): all-MiniLM-L6-v2 and multilingual-e5-small are"),
        "{refused}"
    );
    assert!(home.install(&Tiny::of(1)).unwrap().changed);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

fn measurement_of(home: &Home) -> Measurement {
    let folder = home.model();
    Measurement::of(&folder, &folder.manifest().unwrap())
}

#[test]
fn an_installed_model_is_measured_and_one_that_was_not_is_by_the_next_pass() {
    let home = Home::new();
    home.install(&Tiny::default()).unwrap();
    let path = home.model().path().join("background.json");
    let measured = fs::read(&path).unwrap();
    let models = InstalledModels::of_home(Arc::new(OsDisk), &home.path(), || Ok(forge_memory_inference::TABLE));
    let again = |bytes: Option<&[u8]>| {
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        // A model that was loaded before is another one to the cache of the process when its files are.
        fs::File::options()
            .write(true)
            .open(home.model().file(&WEIGHTS))
            .and_then(|file| {
                file.set_modified(
                    std::time::SystemTime::UNIX_EPOCH
                        + Duration::from_secs(bytes.map_or(1, |bytes| bytes.len() as u64 + 2)),
                )
            })
            .unwrap();
        let chosen = models.choose(Some("multilingual-e5-small")).unwrap();
        assert_eq!(chosen.background(), None);
        let state = if bytes.is_some() {
            MeasurementState::Other
        } else {
            MeasurementState::Missing
        };
        assert_eq!(measurement_of(&home).state, state);
        chosen.measure().unwrap();
        // Its weights are random numbers: it knows none of the questions, so it leaves out no answer.
        assert!(chosen.background().is_some_and(|background| background.least < 0.0));
        assert_eq!(fs::read(&path).unwrap(), measured);
        let Measurement { state, at, .. } = measurement_of(&home);
        assert_eq!((state, at.is_some_and(|at| at > 0)), (MeasurementState::Unclear, true));
    };
    again(None);
    for damaged in [
        &b""[..],
        b"{}",
        &measured[..measured.len() / 2],
        br#"{"of":"another","vectors":[],"least":0}"#,
    ] {
        again(Some(damaged));
    }
    let text = String::from_utf8(measured.clone()).unwrap();
    // Its weakest question stands out, as those of a trained model do.
    let least = text.rfind(r#""least":"#).unwrap();
    fs::write(&path, format!(r#"{}"least":1.5}}"#, &text[..least])).unwrap();
    let clear = measurement_of(&home);
    assert_eq!(clear.state, MeasurementState::Measured);
    assert_eq!((clear.questions, clear.texts), (26, 36 + 64));
    let short = text.replacen(r#"[""#, r#"["0000",""#, 1);
    again(Some(short.as_bytes()));
    home.begin(MULTILINGUAL).remove().unwrap();
    assert!(!home.model().path().exists());
}
