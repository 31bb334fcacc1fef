# How embedding-reference.json was made: the published weights in 32 bits through FlaxBertModel of transformers (JAX on the
# processor), the published tokenizer without padding, at most 256 tokens; mean over all tokens, scaled to length one.
import json, sys, numpy as np
from transformers import AutoTokenizer, FlaxBertModel
folder, out = sys.argv[1:]
tok = AutoTokenizer.from_pretrained(folder)
model = FlaxBertModel.from_pretrained(folder, add_pooling_layer=False)
texts = json.load(open(sys.argv[3])) if len(sys.argv) > 3 else [
 "Jest needs --runInBand on Windows, or the gate times out",
 "The gate times out on Windows unless tests run one after the other",
 "Store money as integer cents",
 "fn parse(&self, bytes: &[u8]) -> Result<Vec<Record>, ParseError> { serde_json::from_slice(bytes).map_err(Into::into) }",
 "Üñïçødé façade naïve café ÅNGSTRÖM",
 "教訓を覚える。你好，世界 한국어 텍스트",
 "deploy 🚀 failed 💥 again 👩‍💻",
 "",
 "a\u0000b\ttab\r\nnewline\u200bzero width\u007f",
 "[CLS] literal [SEP] special [MASK] tokens [PAD]",
 "supercalifragilisticexpialidocious" * 4,
 " ".join(f"word{i} of a long text that goes on about caches, locks and queues" for i in range(60)),
]
rows = []
for t in texts:
    e = tok(t, truncation=True, max_length=256, padding=False, return_tensors="np")
    h = np.asarray(model(**e).last_hidden_state[0], dtype=np.float64)
    v = h.mean(0); v /= np.linalg.norm(v)
    rows.append({"text": t, "tokens": int(e["input_ids"].shape[1]), "vector": [round(float(x), 6) for x in v]})
    print(len(t), rows[-1]["tokens"], rows[-1]["vector"][:3])
with open(out, "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows) + "\n]\n")
