// tree-sitter from npm, driven from JavaScript, as a code index without an engine does it. What it does, and why that is fair:
// - one parse a file and one chunk for each declaration at the top, with its hash and the names of the calls in it, found
//   by walking its nodes; the package finds definitions at every depth, imports, types, and resolves the calls besides;
// - the buffer is as large as the file: with the usual one, files of 32 KiB and more are refused;
// - nothing is written.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { input, report } from './process.mjs'

const require = createRequire(new URL('../references/', import.meta.url))
const Parser = require('tree-sitter')

function parserOf(language) {
  const parser = new Parser()
  parser.setLanguage(language)
  return parser
}

const script = parserOf(require('tree-sitter-javascript'))
const typed = parserOf(require('tree-sitter-typescript').typescript)

function collectCalls(node, calls) {
  if (node.type === 'call_expression') {
    const callee = node.child(0)
    calls.push(callee.type === 'member_expression' ? callee.lastChild.text : callee.text)
  }
  for (let at = 0; at < node.childCount; at += 1) collectCalls(node.child(at), calls)
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex')

function chunksOf(path) {
  const source = readFileSync(path, 'utf8')
  const parser = /\.[cm]?tsx?$/.test(path) ? typed : script
  const tree = parser.parse(source, undefined, { bufferSize: 2 * source.length + 1024 })
  const chunks = [{ hash: hashOf(source), calls: [] }]
  for (const node of tree.rootNode.namedChildren) {
    if (!node.type.includes('declaration')) continue
    const calls = []
    collectCalls(node, calls)
    chunks.push({ hash: hashOf(node.text), calls })
  }
  return chunks
}

const files = readdirSync(join(input.dir, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
const before = process.cpuUsage()
let calls = 0
for (const path of files) for (const chunk of chunksOf(path)) calls += chunk.calls.length
const { user, system } = process.cpuUsage(before)
report({ files: files.length, calls, cpuMs: (user + system) / 1e3 })
