use super::*;

/// A manifest as an earlier version wrote it: of the published weights, or of some that say the epsilon in 32 bits.
fn written(epsilon: &str) -> String {
    let digest = "0123456789abcdef".repeat(4);
    format!(
        r#"{{"format": 1, "name": "multilingual-e5-small", "purpose": "embedding", "architecture": {{"family": "bert",
        "vocabulary": 250037, "positions": 512, "firstPosition": 0, "tokenTypes": 2, "hidden": 384, "layers": 12, "heads": 12,
        "intermediate": 1536, "layerNormEpsilon": {epsilon}, "activation": "gelu"}}, "recipe": {{"pooling": "mean",
        "tokensMax": 512, "queryPrefix": "query: ", "passagePrefix": "passage: ", "lowercase": false}}, "files": [
        {{"name": "tokenizer.json", "bytes": 17082660, "sha256": "{digest}"}},
        {{"name": "model.int8.safetensors", "bytes": 118000000, "sha256": "{digest}"}}],
        "published": {{"name": "model.safetensors", "bytes": 470000000, "sha256": "{digest}"}}}}"#
    )
}

#[test]
fn a_manifest_of_an_earlier_version_is_read_and_its_vectors_keep_their_key() {
    // The beginning of the SHA-256 of what docs/reference/formats.md says, as that version computed it.
    for (epsilon, key) in [("1e-12", "d224f30db23e"), ("9.999999960041972e-13", "846cbbb25e08")] {
        let manifest = Manifest::parse(written(epsilon).as_bytes()).unwrap();
        assert_eq!(manifest.key(), format!("local:multilingual-e5-small@{key}"));
        assert_eq!(Manifest::parse(&manifest.to_json().unwrap()), Ok(manifest));
    }
    assert_eq!(Manifest::known().key(), "local:all-MiniLM-L6-v2");
}
