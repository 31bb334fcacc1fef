// docs/reference/formats.md is complete: this reader of the code graph's binary files was written from it alone.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { latticeIndex } from '../dist/index.js'
import { freshFolder } from './support/project.mjs'

const NONE = 0xffffffff
const KINDS =
  'file module class struct trait interface enum type function method macro section table view trigger index'.split(' ')
const EDGE_KINDS = ['call', 'new', 'extends', 'reference']
const RESOLVED = [undefined, 'exact', 'import', 'name']

const SOURCES = {
  'src/shop.ts':
    "import { round } from './math'\n/** Pays. */\nexport function pay(id: string): number { return round(1.5) }\nexport class Cart { total() { return pay('a') + log() } }\n",
  'src/math.ts': 'export function round(n: number): number { return Math.round(n) }\n',
  'package.json': '{"name":"shop"}',
  'lib/tool.py': 'class Tool:\n    def run(self):\n        return self.run()\n',
}

async function indexed(t) {
  const dir = freshFolder(t)
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  await latticeIndex({ projectDir: dir })
  const folder = join(dir, '.forge/lattice')
  const lines = (name) =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  return {
    read: (name) => readFileSync(join(folder, name)),
    chunks: lines('chunks.jsonl'),
    edges: lines('edges.jsonl'),
  }
}

function sectionsOf(bytes) {
  assert.equal(bytes.toString('latin1', 0, 4), 'FMLG')
  assert.equal(bytes.readUInt32LE(4), 6)
  const sections = []
  let end = 384
  for (let at = 24; at < 384; at += 24) {
    const [from, length] = [Number(bytes.readBigUInt64LE(at)), Number(bytes.readBigUInt64LE(at + 8))]
    assert.equal(from, end)
    end = from + length
    sections.push(bytes.subarray(from, end))
  }
  assert.equal(end, bytes.length)
  return sections
}

function numbers(section) {
  return Array.from({ length: section.length / 4 }, (_, at) => section.readUInt32LE(at * 4))
}

function records(section, size) {
  return Array.from({ length: section.length / size }, (_, at) => section.subarray(at * size, (at + 1) * size))
}

function readGraph(bytes) {
  const sections = sectionsOf(bytes)
  const fileRecords = records(sections[1], 56)
  const textOf = (file) => (record, at) => {
    const from = fileRecords[file].readUInt32LE(16) + record.readUInt32LE(at)
    return sections[0].toString('utf8', from, from + record.readUInt32LE(at + 4))
  }
  const files = fileRecords.map((record, number) => ({
    path: textOf(number)(record, 0),
    language: textOf(number)(record, 8),
    firstNode: record.readUInt32LE(20),
    firstEdge: record.readUInt32LE(24),
    chunkLines: Number(record.readBigUInt64LE(32)),
  }))
  const nodes = records(sections[2], 104).map((record) => {
    const file = record.readUInt32LE(8)
    const text = textOf(file)
    return {
      id: record.readBigUInt64LE(0).toString(16).padStart(16, '0'),
      filePath: files[file].path,
      language: files[file].language,
      kind: KINDS[record.readUInt32LE(12)],
      name: text(record, 16),
      owner: text(record, 24),
      signature: text(record, 32),
      doc: text(record, 40),
      range: [48, 52, 56, 60].map((at) => record.readUInt32LE(at)),
      parent: record.readUInt32LE(64),
      contentHash: `sha256:${record.toString('hex', 72, 104)}`,
      file,
    }
  })
  const edges = records(sections[7], 64).map((record) => {
    const file = record.readUInt32LE(0)
    const text = textOf(file)
    const target = record.readUInt32LE(8)
    return {
      callerChunkId: nodes[files[file].firstNode + record.readUInt32LE(4)].id,
      calleeChunkId: target === NONE ? undefined : nodes[files[target].firstNode + record.readUInt32LE(12)].id,
      calleeName: text(record, 16),
      kind: EDGE_KINDS[record.readUInt32LE(24) >> 8],
      resolved: RESOLVED[record.readUInt32LE(24) & 255],
      receiver: text(record, 32),
      line: record.readUInt32LE(48),
      count: record.readUInt32LE(60),
    }
  })
  return { sections, files, nodes, edges }
}

test('graph.bin, read as documented, has the chunks and edges of the JSON Lines files', async (t) => {
  const { read, chunks, edges } = await indexed(t)
  const graph = readGraph(read('graph.bin'))
  assert.deepEqual(
    graph.files.map((file) => file.path),
    Object.keys(SOURCES).sort(),
  )
  const ofRecord = (chunk) => ({
    id: chunk.id,
    filePath: chunk.filePath,
    language: chunk.language,
    kind: chunk.kind,
    name: chunk.name,
    owner: chunk.owner ?? '',
    signature: chunk.signature ?? '',
    doc: chunk.doc ?? '',
    range: [chunk.startByte, chunk.endByte, chunk.startLine, chunk.endLine],
    parentId: chunk.parentId,
    contentHash: chunk.contentHash,
  })
  const ofNode = ({ file, parent, ...node }) => ({
    ...node,
    parentId: parent === NONE ? undefined : graph.nodes[graph.files[file].firstNode + parent].id,
  })
  assert.deepEqual(graph.nodes.map(ofNode), chunks.map(ofRecord))
  assert.deepEqual(
    graph.edges,
    edges.map((edge) => ({
      callerChunkId: edge.callerChunkId,
      calleeChunkId: edge.calleeChunkId,
      calleeName: edge.calleeName,
      kind: edge.kind,
      resolved: edge.resolved,
      receiver: edge.receiver ?? '',
      line: edge.line,
      count: edge.count,
    })),
  )
})

test('the tables of graph.bin match their documentation', async (t) => {
  const { read } = await indexed(t)
  const { sections, nodes, edges, files } = readGraph(read('graph.bin'))
  const keys = records(sections[3], 12)
  assert.deepEqual(
    keys.map((record) => nodes[record.readUInt32LE(8)].id),
    nodes.map((node) => node.id).sort(),
  )
  const lists = (table, entries, nameOf) => {
    const all = numbers(entries)
    for (const record of records(table, 16)) {
      const [first, count] = [record.readUInt32LE(8), record.readUInt32LE(12)]
      const names = new Set(all.slice(first, first + count).map(nameOf))
      assert.equal(names.size, 1)
    }
    return all.length
  }
  assert.equal(
    lists(sections[4], sections[5], (node) => nodes[node].name),
    nodes.filter((node) => node.name !== '').length,
  )
  assert.equal(
    lists(sections[10], sections[11], (edge) => edges[edge].calleeName),
    edges.length,
  )
  const outgoing = numbers(sections[6])
  const [incoming, into] = [numbers(sections[8]), numbers(sections[9])]
  for (const [number, node] of nodes.entries()) {
    const leaves = edges.slice(outgoing[number], outgoing[number + 1])
    assert.ok(leaves.every((edge) => edge.callerChunkId === node.id))
    const arrives = into.slice(incoming[number], incoming[number + 1]).map((edge) => edges[edge])
    assert.equal(arrives.length, edges.filter((edge) => edge.calleeChunkId === node.id).length)
    assert.ok(arrives.every((edge) => edge.calleeChunkId === node.id))
  }
  assert.equal(outgoing.at(-1), edges.length)
  for (const term of records(sections[12], 16)) {
    const [from, length, count] = [4, 8, 12].map((at) => term.readUInt32LE(at))
    const body = reader(sections[13].subarray(from, from + length))
    let [file, seen] = [0, 0]
    while (!body.isDone()) {
      file += body.leb()
      let place = 0
      for (let left = body.leb(); left > 0; left -= 1) {
        place += body.leb()
        const weight = body.byte()
        assert.ok(weight >= 1 && weight <= 63 && files[file].firstNode + place < nodes.length)
        seen += 1
      }
    }
    assert.equal(seen, count)
  }
})

/** Reads postcard values. */
function reader(bytes) {
  let at = 0
  const byte = () => bytes[at++]
  const big = () => {
    let [number, shift, part] = [0n, 0n, 0]
    do {
      part = byte()
      number |= BigInt(part & 127) << shift
      shift += 7n
    } while (part & 128)
    return number
  }
  const leb = () => Number(big())
  const take = (length) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  const text = () => take(leb()).toString('utf8')
  const list = (one) => Array.from({ length: leb() }, one)
  const zigzag = () => {
    const number = big()
    return number & 1n ? -(number >> 1n) - 1n : number >> 1n
  }
  return { byte, big, leb, take, text, list, zigzag, isDone: () => at === bytes.length }
}

function factsOf(bytes) {
  const body = reader(bytes)
  const { text, leb, list, byte } = body
  const facts = {
    package: text(),
    chunks: list(() => ({
      kind: KINDS[leb()],
      name: text(),
      owner: text(),
      parent: leb(),
      range: [leb(), leb(), leb(), leb()],
      ordinal: leb(),
      isDefault: byte() === 1,
      hash: body.take(32).toString('hex'),
      signature: text(),
      doc: text(),
      bases: list(text),
      locals: list(text),
      words: leb(),
      terms: body.take(leb()).length % 5,
    })),
    references: list(() => ({
      chunk: leb(),
      kind: leb(),
      name: text(),
      receiver: text(),
      place: [leb(), leb(), leb(), leb()],
    })),
    imports: list(() => ({ local: text(), name: text(), module: text(), isExported: byte() === 1 })),
    types: list(() => ({ chunk: leb(), name: text(), of: text() })),
  }
  assert.ok(body.isDone())
  return facts
}

test('facts.bin and states.bin, read as documented, have every file', async (t) => {
  const { read, chunks } = await indexed(t)
  const bytes = read('facts.bin')
  assert.equal(bytes.toString('latin1', 0, 4), 'FMLF')
  assert.equal(bytes.readUInt32LE(4), 4)
  const body = reader(bytes.subarray(16))
  const files = body.list(() => ({
    path: body.text(),
    language: body.byte(),
    hash: body.big(),
    skip: body.leb(),
    facts: body.take(body.leb()),
  }))
  assert.ok(body.isDone())
  assert.deepEqual(
    files.map((file) => [file.path, file.language, file.skip]),
    [
      ['lib/tool.py', 3, 0],
      ['package.json', 255, 0],
      ['src/math.ts', 1, 0],
      ['src/shop.ts', 1, 0],
    ],
  )
  const facts = new Map(files.map((file) => [file.path, factsOf(file.facts)]))
  assert.equal(facts.get('package.json').package, 'shop')
  assert.deepEqual(facts.get('src/shop.ts').imports[0], {
    local: 'round',
    name: 'round',
    module: './math',
    isExported: false,
  })
  for (const chunk of chunks) {
    const known = facts.get(chunk.filePath).chunks.find((one) => one.name === chunk.name && one.kind === chunk.kind)
    assert.equal(`sha256:${known.hash}`, chunk.contentHash)
    assert.deepEqual(known.range, [chunk.startByte, chunk.endByte, chunk.startLine, chunk.endLine])
  }

  const stateBytes = read('states.bin')
  assert.equal(stateBytes.toString('latin1', 0, 4), 'FMLT')
  const states = reader(stateBytes.subarray(16))
  assert.equal(states.big(), read('graph.bin').readBigUInt64LE(8), 'both are of the same tree')
  assert.ok(Math.abs(Number(states.zigzag()) - Date.now()) < 3_600_000)
  const sizes = states.list(() => [states.text(), states.leb(), states.zigzag() > 0n, states.byte(), states.leb()])
  assert.ok(states.isDone())
  assert.deepEqual(
    sizes,
    Object.keys(SOURCES)
      .sort()
      .map((path, at) => [path, Buffer.byteLength(SOURCES[path]), true, files[at].language, files[at].skip]),
  )
})
