// Small models for tests, written as they are published: a BERT of two layers with seeded weights, its vocabulary and configuration; and
// what it computes by a plain implementation of its own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const WORDS =
  'jest needs windows runner backup fills disk replica query passage key rotate twice year webhook again customers billed index cache lock file slow report'.split(
    ' ',
  )
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789']
const VOCABULARY = [...SPECIAL, ...WORDS, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`), ':', '.', ',', '-']
const idOf = (token) => VOCABULARY.indexOf(token)

/** Notes in words of the vocabulary. */
export const NOTES = [
  'jest needs windows runner',
  'backup fills disk replica again',
  'rotate key twice year',
  'customers billed again webhook',
  'slow report needs cache index',
]

/** Returns a model: `{ config, tensors, files }`. Width, heads and layers are small; `seed` decides the weights. */
export function tinyModel({ hidden = 32, heads = 4, seed = 1, labels, pooling, query, passage, ...config } = {}) {
  const isScorer = labels !== undefined
  const model = {
    config: {
      model_type: 'bert',
      architectures: [isScorer ? 'BertForSequenceClassification' : 'BertModel'],
      hidden_size: hidden,
      num_hidden_layers: 2,
      num_attention_heads: heads,
      intermediate_size: 2 * hidden,
      vocab_size: VOCABULARY.length,
      max_position_embeddings: 64,
      type_vocab_size: 2,
      layer_norm_eps: 1e-7,
      hidden_act: 'gelu',
      ...(isScorer ? { num_labels: labels } : {}),
      ...config,
    },
    prefix: isScorer ? 'bert.' : '',
    tensors: {},
    files: {},
  }
  if (pooling !== undefined) {
    const flags = { pooling_mode_cls_token: pooling === 'cls', pooling_mode_mean_tokens: pooling === 'mean' }
    model.files['1_Pooling/config.json'] = flags
  }
  if (query !== undefined) model.files['config_sentence_transformers.json'] = { prompts: { query, passage } }
  fill(model, isScorer, seed)
  return model
}

function fill({ config, tensors }, isScorer, seed) {
  let state = seed >>> 0
  // Sixty-fourths: the products of such numbers are exact for long.
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return ((state >>> 16) % 127) / 64 - 63 / 64
  }
  const { hidden_size: hidden, intermediate_size: wide } = config
  const add = (name, shape, size = 0.4, middle = 0) => {
    const count = shape.reduce((product, length) => product * length, 1)
    tensors[name] = { shape, numbers: Float32Array.from({ length: count }, () => middle + next() * size) }
  }
  const norm = (name) => {
    add(`${name}.weight`, [hidden], 0.25, 1)
    add(`${name}.bias`, [hidden])
  }
  const dense = (name, rows, columns) => {
    add(`${name}.weight`, [rows, columns])
    add(`${name}.bias`, [rows])
  }
  add('embeddings.word_embeddings.weight', [config.vocab_size, hidden], 1)
  add('embeddings.position_embeddings.weight', [config.max_position_embeddings, hidden], 0.1)
  add('embeddings.token_type_embeddings.weight', [2, hidden])
  norm('embeddings.LayerNorm')
  for (let layer = 0; layer < config.num_hidden_layers; layer += 1) {
    const name = (part) => `encoder.layer.${layer}.${part}`
    for (const part of ['query', 'key', 'value']) dense(name(`attention.self.${part}`), hidden, hidden)
    dense(name('attention.output.dense'), hidden, hidden)
    norm(name('attention.output.LayerNorm'))
    dense(name('intermediate.dense'), wide, hidden)
    dense(name('output.dense'), hidden, wide)
    norm(name('output.LayerNorm'))
  }
  if (isScorer) {
    dense('pooler.dense', hidden, hidden)
    dense('classifier', config.num_labels, hidden)
  }
}

/** Returns the bytes of `model.safetensors`. */
export function weightsOf({ tensors, prefix }) {
  const header = {}
  const parts = []
  let end = 0
  for (const [name, { shape, numbers }] of Object.entries(tensors)) {
    const bytes = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
    const published = name.startsWith('classifier') ? name : `${prefix}${name}`
    header[published] = { dtype: 'F32', shape, data_offsets: [end, end + bytes.length] }
    end += bytes.length
    parts.push(bytes)
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...parts])
}

/** Returns the published files by name. */
export function publishedFiles(model) {
  const json = (value) => Buffer.from(JSON.stringify(value))
  return {
    'config.json': json(model.config),
    'tokenizer.json': json(TOKENIZER),
    'model.safetensors': weightsOf(model),
    ...Object.fromEntries(Object.entries(model.files).map(([name, value]) => [name, json(value)])),
  }
}

/** Writes a model into a folder as it is published, and returns the folder. */
export function writeModel(folder, model) {
  for (const [name, bytes] of Object.entries(publishedFiles(model))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  return folder
}

const special = (token, type) => ({ SpecialToken: { id: token, type_id: type } })
const sequence = (id, type) => ({ Sequence: { id, type_id: type } })
const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: SPECIAL.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [special('[CLS]', 0), sequence('A', 0), special('[SEP]', 0)],
    pair: [special('[CLS]', 0), sequence('A', 0), special('[SEP]', 0), sequence('B', 1), special('[SEP]', 1)],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
  },
}

const ids = (text) => text.split(' ').filter(Boolean).map(idOf)
const single = (text) => [idOf('[CLS]'), ...ids(text), idOf('[SEP]')].map((id) => [id, 0])
const pair = (one, other) => [...single(one), ...[...ids(other), idOf('[SEP]')].map((id) => [id, 1])]
const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0)

/** The rows of a matrix, rounded as it is installed: to 127 steps up to the largest number of a row. */
function rowsOf(model, name) {
  const { shape, numbers } = model.tensors[name]
  return Array.from({ length: shape[0] }, (_, row) => {
    const own = [...numbers.subarray(row * shape[1], (row + 1) * shape[1])]
    const step = Math.fround(Math.max(...own.map(Math.abs)) / 127)
    // In 32 bits, and halves away from zero: what lies between two steps is to be rounded as it is installed.
    const steps = (number) => Math.sign(number) * Math.round(Math.fround(Math.abs(number) / step))
    return own.map((number) => steps(number) * step)
  })
}

/** Into how many levels activations are rounded: fewer where the processor adds products in 16 bits, which 255 of them overflow. */
const LEVELS = process.arch === 'arm64' || hasVnni() ? 255 : 127

function hasVnni() {
  return process.platform === 'linux' && / avx512_vnni /.test(readFileSync('/proc/cpuinfo', 'latin1'))
}

/** A row of activations, rounded as the encoder does: to equal steps from its least number, or zero, to its largest. */
function rounded(row) {
  const step = (Math.max(0, ...row) - Math.min(0, ...row)) / LEVELS
  return row.map((number) => Math.round(number / step) * step)
}

function affine(model, name, input) {
  const weight = rowsOf(model, `${name}.weight`)
  const bias = model.tensors[`${name}.bias`].numbers
  return input.map(rounded).map((row) => weight.map((own, at) => dot(own, row) + bias[at]))
}

function normalized(model, name, input) {
  const [gamma, beta] = ['weight', 'bias'].map((part) => model.tensors[`${name}.${part}`].numbers)
  return input.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length
    return row.map(
      (value, at) => ((value - mean) / Math.sqrt(variance + model.config.layer_norm_eps)) * gamma[at] + beta[at],
    )
  })
}

const added = (one, other) => one.map((row, at) => row.map((value, column) => value + other[at][column]))

/** The error function by its series. */
function erf(x) {
  if (Math.abs(x) > 5) return Math.sign(x)
  let sum = 0
  let term = x
  for (let n = 0; n < 200; n += 1) {
    sum += term / (2 * n + 1)
    term *= (-x * x) / (n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}

const gelu = (x) => 0.5 * x * (1 + erf(x / Math.SQRT2))

function statesOf(model, tokens) {
  const { hidden_size: hidden, num_attention_heads: heads, num_hidden_layers: layers } = model.config
  const [words, positions, types] = ['word', 'position', 'token_type'].map((name) =>
    rowsOf(model, `embeddings.${name}_embeddings.weight`),
  )
  const embedded = tokens.map(([id, type], at) =>
    words[id].map((value, column) => value + positions[at][column] + types[type][column]),
  )
  let states = normalized(model, 'embeddings.LayerNorm', embedded)
  const width = hidden / heads
  for (let layer = 0; layer < layers; layer += 1) {
    const name = (part) => `encoder.layer.${layer}.${part}`
    const [query, key, value] = ['query', 'key', 'value'].map((part) =>
      affine(model, name(`attention.self.${part}`), states),
    )
    const attended = states.map((_, at) => {
      const row = []
      for (let head = 0; head < heads; head += 1) {
        const part = (list) => list.slice(head * width, (head + 1) * width)
        const scores = key.map((other) => Math.exp(dot(part(query[at]), part(other)) / Math.sqrt(width)))
        const sum = scores.reduce((total, score) => total + score, 0)
        for (let column = head * width; column < (head + 1) * width; column += 1) {
          row.push(scores.reduce((total, score, other) => total + (score / sum) * value[other][column], 0))
        }
      }
      return row
    })
    const output = affine(model, name('attention.output.dense'), attended)
    states = normalized(model, name('attention.output.LayerNorm'), added(states, output))
    const between = affine(model, name('intermediate.dense'), states).map((row) => row.map(gelu))
    states = normalized(model, name('output.LayerNorm'), added(states, affine(model, name('output.dense'), between)))
  }
  return states
}

/** The vector of a text of whole words. */
export function vectorOf(model, text, pooling = 'mean') {
  const states = statesOf(model, single(text))
  const rows = pooling === 'cls' ? states.slice(0, 1) : states
  const sum = rows[0].map((_, column) => rows.reduce((total, row) => total + row[column], 0))
  const length = Math.hypot(...sum)
  return sum.map((value) => value / length)
}

/** The score of a pair of texts. */
export function scoreOf(model, query, text) {
  const [first] = statesOf(model, pair(query, text))
  const pooled = affine(model, 'pooler.dense', [first]).map((row) => row.map(Math.tanh))
  return affine(model, 'classifier', pooled)[0][0]
}
