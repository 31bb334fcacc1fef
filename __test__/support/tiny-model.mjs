// Small models for tests, written as they are published: a multilingual-e5-small of one layer and few words with seeded weights, and its
// vocabulary; and what it computes by a plain implementation of its own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name under which they are installed. */
export const SMALL = 'multilingual-e5-small'
const WORDS =
  'jest needs windows runner backup fills disk replica query: passage: key rotate twice year webhook again customers billed index cache lock file slow report'.split(
    ' ',
  )
const SPECIAL = ['<s>', '<pad>', '</s>', '<unk>']
const VOCABULARY = [...SPECIAL, ...WORDS.map((word) => `▁${word}`), ...'▁abcdefghijklmnopqrstuvwxyz0123456789.,-']
const idOf = (token) => VOCABULARY.indexOf(token)
const [HIDDEN, HEADS, WIDE, POSITIONS, EPSILON] = [384, 12, 1536, 512, 1e-12]

/** Notes in words of the vocabulary. */
export const NOTES = [
  'jest needs windows runner',
  'backup fills disk replica again',
  'rotate key twice year',
  'customers billed again webhook',
  'slow report needs cache index',
]

/** Returns the tensors of a model, by name; `seed` decides the weights. */
export function tinyModel({ seed = 1 } = {}) {
  const tensors = {}
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return ((state >>> 16) % 127) / 64 - 63 / 64
  }
  const add = (name, shape, size = 0.1, middle = 0) => {
    const count = shape.reduce((product, length) => product * length, 1)
    tensors[name] = { shape, numbers: Float32Array.from({ length: count }, () => middle + next() * size) }
  }
  const norm = (name) => {
    add(`${name}.weight`, [HIDDEN], 0.25, 1)
    add(`${name}.bias`, [HIDDEN])
  }
  const dense = (name, rows, columns) => {
    add(`${name}.weight`, [rows, columns])
    add(`${name}.bias`, [rows])
  }
  add('embeddings.word_embeddings.weight', [VOCABULARY.length, HIDDEN], 1)
  add('embeddings.position_embeddings.weight', [POSITIONS, HIDDEN])
  add('embeddings.token_type_embeddings.weight', [2, HIDDEN])
  norm('embeddings.LayerNorm')
  const name = (part) => `encoder.layer.0.${part}`
  for (const part of ['query', 'key', 'value']) dense(name(`attention.self.${part}`), HIDDEN, HIDDEN)
  dense(name('attention.output.dense'), HIDDEN, HIDDEN)
  norm(name('attention.output.LayerNorm'))
  dense(name('intermediate.dense'), WIDE, HIDDEN)
  dense(name('output.dense'), HIDDEN, WIDE)
  norm(name('output.LayerNorm'))
  return tensors
}

/** Returns the bytes of `model.safetensors`. */
export function weightsOf(tensors) {
  const header = {}
  const parts = []
  let end = 0
  for (const [name, { shape, numbers }] of Object.entries(tensors)) {
    const bytes = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + bytes.length] }
    end += bytes.length
    parts.push(bytes)
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...parts])
}

/** Returns the published files by name; the vocabulary may have more words than the weights. */
export function publishedFiles(tensors, more = []) {
  return {
    'tokenizer.json': Buffer.from(JSON.stringify(tokenizerOf([...VOCABULARY, ...more]))),
    'model.safetensors': weightsOf(tensors),
  }
}

/** Writes a model into a folder as it is published, and returns the folder. */
export function writeModel(folder, tensors, more) {
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of Object.entries(publishedFiles(tensors, more))) writeFileSync(join(folder, name), bytes)
  return folder
}

const special = (token) => ({ SpecialToken: { id: token, type_id: 0 } })
const tokenizerOf = (pieces) => ({
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
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  post_processor: {
    type: 'TemplateProcessing',
    single: [special('<s>'), { Sequence: { id: 'A', type_id: 0 } }, special('</s>')],
    pair: [special('<s>'), { Sequence: { id: 'A', type_id: 0 } }, special('</s>')],
    special_tokens: {
      '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] },
      '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
    },
  },
  decoder: null,
  model: { type: 'Unigram', unk_id: 3, vocab: pieces.map((piece) => [piece, piece.length > 1 ? -1 : -9]) },
})

const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0)
const ROWS = new WeakMap()

/** The rows of a matrix, rounded as it is installed: to 127 steps up to the largest number of a row. */
function rowsOf(model, name) {
  const tensor = model[name]
  if (!ROWS.has(tensor)) ROWS.set(tensor, roundedRows(tensor))
  return ROWS.get(tensor)
}

function roundedRows({ shape, numbers }) {
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
  const bias = model[`${name}.bias`].numbers
  return input.map(rounded).map((row) => weight.map((own, at) => dot(own, row) + bias[at]))
}

function normalized(model, name, input) {
  const [gamma, beta] = ['weight', 'bias'].map((part) => model[`${name}.${part}`].numbers)
  return input.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length
    return row.map((value, at) => ((value - mean) / Math.sqrt(variance + EPSILON)) * gamma[at] + beta[at])
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
  const [words, positions, types] = ['word', 'position', 'token_type'].map((name) =>
    rowsOf(model, `embeddings.${name}_embeddings.weight`),
  )
  const embedded = tokens.map((id, at) =>
    words[id].map((value, column) => value + positions[at][column] + types[0][column]),
  )
  const states = normalized(model, 'embeddings.LayerNorm', embedded)
  const width = HIDDEN / HEADS
  const name = (part) => `encoder.layer.0.${part}`
  const [query, key, value] = ['query', 'key', 'value'].map((part) =>
    affine(model, name(`attention.self.${part}`), states),
  )
  const attended = states.map((_, at) => {
    const row = []
    for (let head = 0; head < HEADS; head += 1) {
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
  const between = normalized(model, name('attention.output.LayerNorm'), added(states, output))
  const wide = affine(model, name('intermediate.dense'), between).map((row) => row.map(gelu))
  return normalized(model, name('output.LayerNorm'), added(between, affine(model, name('output.dense'), wide)))
}

/** The vector of a text of whole words, of which the first is `query:` or `passage:`. */
export function vectorOf(model, text) {
  const words = text.split(' ').map((word) => idOf(`▁${word}`))
  const states = statesOf(model, [idOf('<s>'), ...words, idOf('</s>')])
  const sum = states[0].map((_, column) => states.reduce((total, row) => total + row[column], 0))
  const length = Math.hypot(...sum)
  return sum.map((value) => value / length)
}
