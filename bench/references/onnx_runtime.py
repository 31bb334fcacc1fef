"""What ONNX Runtime takes for the network of an installed model, beside `node bench/run.mjs --only embed`.

The graph is made of the installed weights and quantized by its own `quantize_dynamic` (eight bits, per channel); it runs on one thread, as ours does.

    python3 -m venv /tmp/ort && /tmp/ort/bin/pip install onnx onnxruntime
    /tmp/ort/bin/python bench/references/onnx_runtime.py ~/.forge/models/all-MiniLM-L6-v2
"""

import json
import resource
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

HEADS = 12


class Weights:
    """The tensors of an installed model: matrices in eight bits with a scale a row, vectors in 32."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        (length,) = struct.unpack("<Q", self.bytes[:8])
        self.table, self.start = json.loads(self.bytes[8 : 8 + length]), 8 + length

    def __getitem__(self, name):
        entry = self.table[name]
        first, end = entry["data_offsets"]
        kind = {"F32": "<f4", "I8": "i1"}[entry["dtype"]]
        tensor = np.frombuffer(self.bytes[self.start + first : self.start + end], kind).reshape(entry["shape"])
        return tensor.astype("f4") * (self[f"{name}.scale"].reshape(-1, 1) if kind == "i1" else 1)

    @property
    def layers(self):
        return 1 + max(int(name.split(".")[2]) for name in self.table if name.startswith("encoder.layer."))


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, array):
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind, *inputs, **attributes):
        name = f"node{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def norm(self, value, name):
        scale, bias = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.node("LayerNormalization", value, scale, bias, axis=-1, epsilon=1e-12)

    def dense(self, value, name):
        product = self.node("MatMul", value, self.constant(self.weights[f"{name}.weight"].T))
        return self.node("Add", product, self.constant(self.weights[f"{name}.bias"]))

    def attention(self, value, name, hidden):
        apart, together = np.array([0, 0, HEADS, hidden // HEADS]), np.array([0, 0, hidden])

        def heads(part, order):
            shaped = self.node("Reshape", self.dense(value, f"{name}.self.{part}"), self.constant(apart))
            return self.node("Transpose", shaped, perm=order)

        query, key, content = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        scale = self.constant(np.array((hidden / HEADS) ** -0.5, "f4"))
        shares = self.node("Softmax", self.node("Mul", self.node("MatMul", query, key), scale), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", shares, content), perm=[0, 2, 1, 3])
        return self.dense(self.node("Reshape", mixed, self.constant(together)), f"{name}.output.dense")

    def gelu(self, value):
        root, one, half = (self.constant(np.array(number, "f4")) for number in (2**0.5, 1, 0.5))
        share = self.node("Add", self.node("Erf", self.node("Div", value, root)), one)
        return self.node("Mul", self.node("Mul", value, share), half)


def model_of(weights):
    graph = Graph(weights)
    words = weights["embeddings.word_embeddings.weight"]
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.node("Slice", graph.node("Shape", "ids"), graph.constant(np.array([1])), graph.constant(np.array([2])))
    zero = graph.constant(np.array([0]))
    places = graph.node("Slice", graph.constant(positions), zero, length, zero)
    value = graph.node("Add", graph.node("Gather", graph.constant(words), "ids"), places)
    value = graph.norm(value, "embeddings.LayerNorm")
    for layer in range(weights.layers):
        name = f"encoder.layer.{layer}"
        attended = graph.attention(value, f"{name}.attention", words.shape[1])
        value = graph.norm(graph.node("Add", attended, value), f"{name}.attention.output.LayerNorm")
        inner = graph.gelu(graph.dense(value, f"{name}.intermediate.dense"))
        value = graph.norm(graph.node("Add", graph.dense(inner, f"{name}.output.dense"), value), f"{name}.output.LayerNorm")
    mean = graph.node("ReduceMean", value, graph.constant(np.array([1])), keepdims=0)
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])
    vectors = helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["texts", words.shape[1]])
    whole = helper.make_graph(graph.nodes, "encoder", [ids], [vectors], graph.constants)
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def milliseconds(session, texts, tokens, rounds=5):
    """The least processor time of a text."""
    ids = np.random.default_rng(1).integers(1000, 20000, (texts, tokens))
    session.run(None, {"ids": ids})
    spent = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_SELF)
        session.run(None, {"ids": ids})
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(spent) / texts


def main():
    weights = Weights(Path(sys.argv[1]) / "model.int8.safetensors")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        plain, quantized = Path(folder) / "model.onnx", Path(folder) / "quantized.onnx"
        onnx.save(model_of(weights), plain)
        quantize_dynamic(plain, quantized, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul"])
        session = onnxruntime.InferenceSession(quantized, options, providers=["CPUExecutionProvider"])
    for texts, tokens in [(1, 18), (64, 20), (8, 100), (1, 256)]:
        print(f"{texts} x {tokens} tokens: {milliseconds(session, texts, tokens):.2f} ms of processor time a text")


main()
