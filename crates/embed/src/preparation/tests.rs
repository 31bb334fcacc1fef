//! Small models of every kind are installed and compared with a reference implementation; everything else is refused.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use forge_memory_core::SentenceModels;
use forge_memory_core::journal::{Disk, OsDisk};
use safetensors::tensor::Dtype;
use serde_json::json;

use super::*;
use crate::background::{Measurement, MeasurementState};
use crate::install::{Installation, Installed};
use crate::model::ModelFolder;
use crate::recipe::TextKind;
use crate::registry::Models;
use crate::shared::InstalledModels;
use crate::tiny::Tiny;
use crate::tiny::reference::{embedding, pair_of, score, tokens_of};

const TEXTS: [&str; 4] = [
    "jest needs windows runner",
    "backup fills disk replica again",
    "rotate key twice year",
    "report slow",
];

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

    fn install_from(&self, from: &Path, name: Option<&str>, given: &GivenPrefixes) -> Result<Installed> {
        let name = name.map(|name| ModelName::parse(name).unwrap());
        let disk: Arc<dyn Disk> = Arc::new(OsDisk);
        Installation::begin(disk, &self.path(), name, Duration::ZERO)?
            .install(Some(from), given, || Ok(forge_memory_inference::TABLE))
    }

    fn install(&self, tiny: &Tiny, name: &str) -> Result<Installed> {
        let from = self.folder.path().join(format!("published-{name}"));
        tiny.write(&from);
        self.install_from(&from, Some(name), &GivenPrefixes::default())
    }

    fn models(&self) -> Models {
        Models::new(Arc::new(OsDisk), &self.path())
    }

    fn model(&self, name: &str) -> ModelFolder {
        self.models().folder(&ModelName::parse(name).unwrap())
    }

    fn embed(&self, name: &str, kind: TextKind, texts: &[&str]) -> Vec<Vec<f32>> {
        Embedder::open(&self.model(name), forge_memory_inference::TABLE)
            .unwrap()
            .embed_as(kind, texts)
            .unwrap()
    }
}

fn assert_near(found: &[f32], wanted: &[f64], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let most = found
        .iter()
        .zip(wanted)
        .fold(0.0_f64, |most, (a, b)| most.max((f64::from(*a) - b).abs()));
    assert!(most < 2e-5, "{what}: off by {most}");
}

fn check(tiny: &Tiny, pooling: &str) {
    let home = Home::new();
    let tiny = tiny.clone().with_sentence_files(pooling, "", "");
    assert!(home.install(&tiny, "tiny").unwrap().changed);
    for (vector, text) in home.embed("tiny", TextKind::Passage, &TEXTS).iter().zip(TEXTS) {
        assert_near(vector, &embedding(&tiny, &tokens_of(text), pooling), text);
    }
}

#[test]
fn vectors_of_every_family_equal_those_of_the_reference_implementation() {
    for kind in ["bert", "roberta", "xlm-roberta", "camembert", "mpnet"] {
        for pooling in ["mean", "cls"] {
            check(&Tiny::of(kind, 32, 4, 7), pooling);
        }
    }
}

#[test]
fn other_sizes_activations_and_epsilons_are_computed_as_configured() {
    check(&Tiny::of("bert", 48, 6, 2), "mean");
    check(&Tiny::of("bert", 24, 1, 3), "cls");
    for activation in ["gelu_new", "gelu_pytorch_tanh", "relu"] {
        let mut tiny = Tiny::default();
        tiny.set("hidden_act", json!(activation));
        check(&tiny, "mean");
    }
    let mut tiny = Tiny::default();
    tiny.set("layer_norm_eps", json!(0.5));
    check(&tiny, "mean");
}

#[test]
fn half_precision_weights_and_prefixed_names_give_the_same_vectors() {
    let home = Home::new();
    let tiny = Tiny::default();
    home.install(&tiny, "single").unwrap();
    let wanted = home.embed("single", TextKind::Passage, &TEXTS);
    for (name, dtype, prefix) in [
        ("half", Dtype::F16, ""),
        ("brain", Dtype::BF16, "bert."),
        ("model", Dtype::F32, "model."),
    ] {
        let other = Tiny {
            dtype,
            prefix,
            ..tiny.clone()
        };
        home.install(&other, name).unwrap();
        assert_eq!(home.embed(name, TextKind::Passage, &TEXTS), wanted, "{name}");
    }
    let mut older = tiny.clone();
    for (name, _, _) in &mut older.tensors {
        *name = name
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
    }
    home.install(&older, "older").unwrap();
    assert_eq!(home.embed("older", TextKind::Passage, &TEXTS), wanted);
    let integers = Tiny {
        dtype: Dtype::I64,
        ..tiny
    };
    let refused = home.install(&integers, "integers").unwrap_err();
    assert_eq!(refused.code(), "UNSUPPORTED");
    assert!(refused.to_string().contains("I64"), "{refused}");
}

#[test]
fn a_query_and_a_passage_have_the_prefixes_of_the_configuration_or_those_given() {
    let home = Home::new();
    let tiny = Tiny::default().with_sentence_files("mean", "query ", "passage ");
    home.install(&tiny, "tiny").unwrap();
    let with = |kind| home.embed("tiny", kind, &["jest needs windows"]).swap_remove(0);
    let wanted = |text: &str| embedding(&tiny, &tokens_of(text), "mean");
    assert_near(&with(TextKind::Query), &wanted("query jest needs windows"), "query");
    assert_near(
        &with(TextKind::Passage),
        &wanted("passage jest needs windows"),
        "passage",
    );
    let from = home.folder.path().join("published-tiny");
    let given = GivenPrefixes {
        query: Some("key ".into()),
        passage: Some(String::new()),
    };
    home.install_from(&from, Some("other"), &given).unwrap();
    let with = |kind| home.embed("other", kind, &["jest needs windows"]).swap_remove(0);
    assert_near(&with(TextKind::Query), &wanted("key jest needs windows"), "given");
    assert_near(&with(TextKind::Passage), &wanted("jest needs windows"), "given empty");
    // What they are is part of what the vectors depend on.
    let key = |name: &str| home.model(name).manifest().unwrap().key();
    assert_ne!(key("tiny").split('@').next_back(), key("other").split('@').next_back());
    let refused = home.install_from(&from, Some("tiny"), &given).unwrap_err();
    assert_eq!(refused.code(), "INVALID_INPUT");
    assert!(refused.hint().contains("model remove"), "{}", refused.hint());
}

#[test]
fn tokens_beyond_the_maximum_length_are_ignored() {
    let home = Home::new();
    let tiny = Tiny::default();
    home.install(&tiny.clone().with_sentence_files("mean", "", ""), "short")
        .unwrap();
    home.install(&tiny, "long").unwrap();
    for (name, most) in [("short", 16), ("long", 40)] {
        let text = vec!["lock"; 100].join(" ");
        let tokens = tokens_of(&vec!["lock"; most - 2].join(" "));
        let vector = home.embed(name, TextKind::Passage, &[&text]).swap_remove(0);
        assert_near(&vector, &embedding(&tiny, &tokens, "mean"), name);
    }
    // The rows before the first position hold no text.
    home.install(&Tiny::of("roberta", 32, 4, 7), "roberta").unwrap();
    assert_eq!(home.model("roberta").manifest().unwrap().recipe.tokens_max, 38);
    assert_eq!(
        home.embed("roberta", TextKind::Passage, &[&"lock ".repeat(90)])[0].len(),
        32
    );
}

#[test]
fn a_cross_encoder_scores_pairs_like_the_reference_implementation() {
    let home = Home::new();
    let tiny = Tiny::scorer(5);
    let installed = home.install(&tiny, "scorer").unwrap();
    assert_eq!(installed.purpose, Some(Purpose::Reranking));
    let scorer = CrossEncoder::open(&home.model("scorer"), forge_memory_inference::TABLE).unwrap();
    let query = "slow report";
    let scores = scorer.score(query, &TEXTS).unwrap();
    for (found, text) in scores.iter().zip(TEXTS) {
        let wanted = score(&tiny, &pair_of(query, text));
        assert!(
            (f64::from(*found) - wanted).abs() < 2e-4,
            "{text}: {found} and not {wanted}"
        );
    }
    assert_eq!(
        Embedder::open(&home.model("scorer"), forge_memory_inference::TABLE)
            .unwrap_err()
            .code(),
        "INVALID_INPUT"
    );
    assert_eq!(
        home.models()
            .set_default(&ModelName::parse("scorer").unwrap())
            .unwrap_err()
            .code(),
        "INVALID_INPUT"
    );
    home.install(&Tiny::default(), "tiny").unwrap();
    assert_eq!(
        CrossEncoder::open(&home.model("tiny"), forge_memory_inference::TABLE)
            .unwrap_err()
            .code(),
        "INVALID_INPUT"
    );
    assert_eq!(home.models().reranker().unwrap().path(), home.model("scorer").path());
}

#[test]
fn another_architecture_is_refused_by_its_name() {
    let refused = |key: &str, value: serde_json::Value| {
        let mut tiny = Tiny::default();
        let published = Home::new();
        tiny.set(key, value);
        let from = published.folder.path().join("published");
        // The weights are those of a BERT: what is said must come from the configuration.
        for (name, bytes) in Tiny::default().published() {
            fs::create_dir_all(&from).unwrap();
            fs::write(from.join(name), bytes).unwrap();
        }
        fs::write(from.join("config.json"), tiny.config.to_string()).unwrap();
        let refused = published
            .install_from(&from, Some("other"), &GivenPrefixes::default())
            .unwrap_err();
        assert!(!published.path().join("models").exists(), "nothing is left");
        format!("{} {refused}", refused.code())
    };
    for kind in ["distilbert", "t5", "llama", "modernbert", "gpt2\u{1b}[31m"] {
        let said = refused("model_type", json!(kind));
        assert!(
            said.starts_with("UNSUPPORTED") && said.contains(&kind[..2]) && said.contains("mpnet"),
            "{said}"
        );
        assert!(!said.contains('\u{1b}'));
    }
    assert!(refused("position_embedding_type", json!("relative_key")).contains("relative_key"));
    assert!(refused("hidden_act", json!("swish")).contains("swish"));
    assert!(refused("num_attention_heads", json!(5)).contains("not a multiple"));
    for (key, value) in [
        ("hidden_size", json!(0)),
        ("hidden_size", json!(1_000_000)),
        ("num_hidden_layers", json!(1_000_000)),
        ("vocab_size", json!(u64::MAX)),
        ("max_position_embeddings", json!(0)),
        ("intermediate_size", json!(null)),
        ("hidden_size", json!("32")),
        ("num_attention_heads", json!(0)),
        ("layer_norm_eps", json!(-1.0)),
        ("type_vocab_size", json!(0)),
        ("hidden_size", json!(-1)),
    ] {
        let said = refused(key, value.clone());
        assert!(said.starts_with("INVALID_INPUT"), "{key} {value}: {said}");
    }
    // Sizes that are not those of the weights.
    assert!(refused("hidden_size", json!(64)).starts_with("CORRUPT"));
    assert!(refused("num_hidden_layers", json!(3)).starts_with("CORRUPT"));
    assert!(refused("num_hidden_layers", json!(1)).contains("encoder.layer.1"));
}

#[test]
fn a_vocabulary_that_does_not_fit_is_refused() {
    let refused = |change: &dyn Fn(&Path)| {
        let home = Home::new();
        let from = home.folder.path().join("published");
        Tiny::default().write(&from);
        change(&from);
        let refused = home
            .install_from(&from, Some("other"), &GivenPrefixes::default())
            .unwrap_err();
        format!("{} {refused}", refused.code())
    };
    for text in ["", "{}", "[]", "null", "\0\0", "{\"model\":{\"type\":\"WordPiece\"}}"] {
        let said = refused(&|from| fs::write(from.join("tokenizer.json"), text).unwrap());
        assert!(said.starts_with("CORRUPT") && said.contains("tokenizer"), "{said}");
    }
    let said = refused(&|from| {
        let mut tokenizer = crate::tiny::tokenizer();
        tokenizer["model"]["vocab"]["beyond"] = json!(5000);
        fs::write(from.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    });
    assert!(said.contains("has the token 5000"), "{said}");
    let said = refused(&|from| {
        let mut tokenizer = crate::tiny::tokenizer();
        tokenizer["post_processor"] = json!(null);
        fs::write(from.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    });
    assert!(said.contains("special tokens"), "{said}");
    let said = refused(&|from| fs::remove_file(from.join("config.json")).unwrap());
    assert!(said.contains("config.json is missing"), "{said}");
    // A file of 65 MB that takes no room on the disk.
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
        said.starts_with("UNSUPPORTED") && said.contains("2147483648 bytes"),
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
    let home = Home::new();
    let tiny = Tiny::default().with_sentence_files("cls", "", "");
    let inside = |prefix: &str| -> Vec<(String, Vec<u8>)> {
        let files = tiny.published().into_iter();
        files.map(|(name, bytes)| (format!("{prefix}{name}"), bytes)).collect()
    };
    for (at, prefix) in ["", "package/model/", "../../../", "/etc/"].iter().enumerate() {
        let path = home.folder.path().join(format!("tiny-{at}.zip"));
        archive(&path, &inside(prefix));
        let installed = home.install_from(&path, None, &GivenPrefixes::default()).unwrap();
        assert_eq!(installed.name.as_str(), format!("tiny-{at}"));
        let vector = home
            .embed(installed.name.as_str(), TextKind::Passage, &TEXTS[..1])
            .swap_remove(0);
        assert_near(&vector, &embedding(&tiny, &tokens_of(TEXTS[0]), "cls"), prefix);
    }
    let mut entries: Vec<_> = fs::read_dir(home.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    entries.sort_unstable();
    assert_eq!(
        entries,
        ["home", "tiny-0.zip", "tiny-1.zip", "tiny-2.zip", "tiny-3.zip"]
    );
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
        let refused = home
            .install_from(&path, Some("bomb"), &GivenPrefixes::default())
            .unwrap_err();
        format!("{} {refused}", refused.code())
    };
    let zeros = |len: u64| vec![0; usize::try_from(len).unwrap()];
    assert!(with("config.json", zeros(50 << 20)).contains("more than"));
    assert!(with("tokenizer.json", zeros(TOKENIZER_BYTES_MAX + 1)).contains("more than"));
    // The header is looked at before the rest is unpacked.
    let said = with("model.safetensors", zeros(200 << 20));
    assert!(said.starts_with("CORRUPT"), "{said}");
    assert!(!home.path().join("models").exists());
}

#[test]
fn several_models_can_be_installed_and_one_is_the_default() {
    let home = Home::new();
    let models = home.models();
    let names = || -> Vec<String> { models.names().unwrap().iter().map(ToString::to_string).collect() };
    assert_eq!(names(), ["all-MiniLM-L6-v2"]);
    home.install(&Tiny::of("bert", 32, 4, 1), "one").unwrap();
    home.install(&Tiny::of("bert", 48, 4, 2), "another").unwrap();
    assert_eq!(names(), ["all-MiniLM-L6-v2", "another", "one"]);
    assert_ne!(
        home.model("one").manifest().unwrap().key(),
        home.model("another").manifest().unwrap().key()
    );
    let named = |name: &str| ModelName::parse(name).unwrap();
    assert!(models.default_name().unwrap().is_known());
    assert_eq!(models.set_default(&named("none")).unwrap_err().code(), "MODEL_MISSING");
    models.set_default(&named("one")).unwrap();
    assert_eq!(models.default_name().unwrap(), named("one"));
    // The file may only contain the name of a model.
    fs::write(home.path().join("models/.default.json"), r#"{"model":"../../x"}"#).unwrap();
    assert!(models.default_name().unwrap().is_known());
    models.set_default(&named("one")).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    let installation = Installation::begin(disk, &home.path(), Some(named("one")), Duration::ZERO).unwrap();
    assert!(installation.remove().unwrap().changed);
    assert!(!installation.remove().unwrap().changed);
    assert!(
        models.default_name().unwrap().is_known(),
        "what was removed is no choice"
    );
    assert_eq!(names(), ["all-MiniLM-L6-v2", "another"]);
    assert!(!home.model("one").path().exists());
}

#[test]
fn a_model_is_pinned_when_it_is_installed_first() {
    let home = Home::new();
    home.install(&Tiny::of("bert", 32, 4, 1), "tiny").unwrap();
    let folder = home.model("tiny");
    let weights = folder.path().join("model.int8.safetensors");
    let whole = fs::read(&weights).unwrap();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    fs::write(&weights, &flipped).unwrap();
    assert_eq!(
        Embedder::open(&folder, forge_memory_inference::TABLE)
            .unwrap_err()
            .code(),
        "CORRUPT"
    );
    // Another model does not take its place under its name, and the same one puts it right.
    let refused = home.install(&Tiny::of("bert", 32, 4, 2), "tiny").unwrap_err();
    assert!(
        refused.to_string().contains("not the model that was installed first"),
        "{refused}"
    );
    assert!(home.install(&Tiny::of("bert", 32, 4, 1), "tiny").unwrap().changed);
    assert_eq!(fs::read(&weights).unwrap(), whole);
    assert!(!home.install(&Tiny::of("bert", 32, 4, 1), "tiny").unwrap().changed);
    let manifest = folder.path().join("model.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for (from, to) in [
        ("\"format\": 1", "\"format\": 2"),
        ("\"name\": \"tiny\"", "\"name\": \"other\""),
        ("\"hidden\": 32", "\"hidden\": 33"),
        ("\"heads\": 4", "\"heads\": 0"),
        ("\"tokensMax\": 40", "\"tokensMax\": 4000"),
        ("tokenizer.json", "../../x"),
        ("{", "[{"),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&manifest, text.replacen(from, to, 1)).unwrap();
        assert_eq!(
            Embedder::open(&folder, forge_memory_inference::TABLE)
                .unwrap_err()
                .code(),
            "CORRUPT",
            "{to}"
        );
    }
    fs::remove_file(&manifest).unwrap();
    assert_eq!(
        Embedder::open(&folder, forge_memory_inference::TABLE)
            .unwrap_err()
            .code(),
        "MODEL_MISSING"
    );
}

fn measurement_of(home: &Home) -> Measurement {
    let folder = home.model("tiny");
    Measurement::of(&folder, &folder.manifest().unwrap())
}

#[test]
fn an_installed_model_is_measured_and_one_that_was_not_is_by_the_next_pass() {
    let home = Home::new();
    home.install(&Tiny::default(), "tiny").unwrap();
    let path = home.model("tiny").path().join("background.json");
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
            .open(home.model("tiny").file(&WEIGHTS))
            .and_then(|file| {
                file.set_modified(
                    std::time::SystemTime::UNIX_EPOCH
                        + Duration::from_secs(bytes.map_or(1, |bytes| bytes.len() as u64 + 2)),
                )
            })
            .unwrap();
        let chosen = models.choose(Some("tiny")).unwrap();
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
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    let name = Some(ModelName::parse("tiny").unwrap());
    Installation::begin(disk, &home.path(), name, Duration::ZERO)
        .unwrap()
        .remove()
        .unwrap();
    assert!(!home.model("tiny").path().exists());
}
