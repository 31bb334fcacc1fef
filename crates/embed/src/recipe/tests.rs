use super::*;
use crate::published::parse;

fn architecture() -> Architecture {
    crate::architecture::KNOWN
}

fn files(modules: &str, pooling: &str, sentence: &str, prompts: &str) -> SentenceFiles {
    fn read<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
        (!text.is_empty()).then(|| parse("test.json", text.as_bytes()).unwrap())
    }
    SentenceFiles {
        modules: read(modules),
        pooling: read(pooling),
        sentence: read(sentence).unwrap_or_default(),
        prompts: read(prompts).unwrap_or_default(),
    }
}

fn recipe(name: &str, files: &SentenceFiles) -> Result<Recipe> {
    Recipe::of(name, &architecture(), files, &GivenPrefixes::default())
}

const MODULES: &str = r#"[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},
    {"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
    {"idx":2,"name":"2","path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]"#;

#[test]
fn pooling_length_and_prompts_are_those_of_the_configuration() {
    let given = files(
        MODULES,
        r#"{"word_embedding_dimension":384,"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}"#,
        r#"{"max_seq_length":128,"do_lower_case":true}"#,
        r#"{"prompts":{"query":"ask: ","document":"text: "},"default_prompt_name":null}"#,
    );
    let read = recipe("some-model", &given).unwrap();
    assert_eq!(
        read,
        Recipe {
            pooling: Pooling::Cls,
            tokens_max: 128,
            query_prefix: "ask: ".into(),
            passage_prefix: "text: ".into(),
            lowercase: true,
        }
    );
    let plain = recipe("some-model", &SentenceFiles::default()).unwrap();
    assert_eq!((plain.pooling, plain.tokens_max), (Pooling::Mean, 512));
    let longer = files("", r#"{"pooling_mode":"mean"}"#, r#"{"max_seq_length":100000}"#, "");
    assert_eq!(recipe("x", &longer).unwrap().tokens_max, 512);
    let usual = files(
        "",
        "",
        "",
        r#"{"prompts":{"mine":"say: "},"default_prompt_name":"mine"}"#,
    );
    let read = recipe("x", &usual).unwrap();
    assert_eq!(
        (read.query_prefix.as_str(), read.passage_prefix.as_str()),
        ("say: ", "say: ")
    );
}

#[test]
fn families_that_are_published_without_prefixes_have_their_own_unless_others_are_given() {
    let prefixes = |name: &str, files: &SentenceFiles| {
        let read = recipe(name, files).unwrap();
        (read.query_prefix, read.passage_prefix)
    };
    let none = SentenceFiles::default();
    assert_eq!(prefixes("e5-small-v2", &none), ("query: ".into(), "passage: ".into()));
    assert_eq!(
        prefixes("multilingual-e5-base", &none),
        ("query: ".into(), "passage: ".into())
    );
    assert!(
        prefixes("bge-small-en-v1.5", &none)
            .0
            .starts_with("Represent this sentence")
    );
    assert_eq!(prefixes("gte-small", &none), (String::new(), String::new()));
    let empty = files(
        "",
        "",
        "",
        r#"{"prompts":{"query":"","document":""},"default_prompt_name":null}"#,
    );
    assert_eq!(prefixes("e5-small-v2", &empty).0, "query: ");
    let given = GivenPrefixes {
        query: Some("q ".into()),
        passage: Some(String::new()),
    };
    let read = Recipe::of("e5-small-v2", &architecture(), &none, &given).unwrap();
    assert_eq!((read.query_prefix.as_str(), read.passage_prefix.as_str()), ("q ", ""));
}

#[test]
fn unsupported_modules_are_refused_by_name() {
    let refused = |files: SentenceFiles| {
        let error = recipe("x", &files).unwrap_err();
        assert_eq!(error.code(), "UNSUPPORTED");
        error.to_string()
    };
    let dense = MODULES.replace("models.Normalize", "models.Dense");
    assert!(refused(files(&dense, "", "", "")).contains("module Dense"));
    let lacking = MODULES.replace("models.Pooling", "models.Normalize");
    assert!(refused(files(&lacking, "", "", "")).contains("without pooling"));
    let elsewhere = MODULES.replace("1_Pooling", "../../1_Pooling");
    assert!(refused(files(&elsewhere, "", "", "")).contains("1_Pooling"));
    let both = r#"{"pooling_mode_cls_token":true,"pooling_mode_max_tokens":true}"#;
    assert!(refused(files("", both, "", "")).contains("cls_token and max_tokens"));
    assert!(refused(files("", r#"{"pooling_mode":"lasttoken"}"#, "", "")).contains("lasttoken"));
    assert!(refused(files("", "{}", "", "")).contains("nothing"));
}

#[test]
fn an_impossible_length_or_prefix_is_refused() {
    let short = files("", "", r#"{"max_seq_length":3}"#, "");
    assert_eq!(recipe("x", &short).unwrap_err().code(), "INVALID_INPUT");
    let given = GivenPrefixes {
        query: Some("x".repeat(600)),
        passage: None,
    };
    let refused = Recipe::of("x", &architecture(), &SentenceFiles::default(), &given);
    assert_eq!(refused.unwrap_err().code(), "INVALID_INPUT");
}

#[test]
fn a_classifier_is_a_cross_encoder_only_with_one_label() {
    let purpose = |text: &str| Purpose::of(&parse::<Config>("config.json", text.as_bytes()).unwrap());
    assert_eq!(
        purpose(r#"{"architectures":["BertModel"]}"#).unwrap(),
        Purpose::Embedding
    );
    assert_eq!(purpose("{}").unwrap(), Purpose::Embedding);
    let bert = r#"{"architectures":["BertForSequenceClassification"],"id2label":{"0":"LABEL_0"}}"#;
    assert_eq!(purpose(bert).unwrap(), Purpose::Reranking);
    let three = r#"{"architectures":["BertForSequenceClassification"],"num_labels":3}"#;
    assert!(purpose(three).unwrap_err().to_string().contains("3 labels"));
    let roberta = r#"{"architectures":["RobertaForSequenceClassification"],"num_labels":1}"#;
    assert_eq!(purpose(roberta).unwrap_err().code(), "UNSUPPORTED");
}
