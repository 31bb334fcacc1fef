import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { latticeIndex } from '../dist/index.js'
import { freshFolder, readLines, root } from './support/project.mjs'

/** 300 calls drawn at random from five pinned packages, and what a person who read each of them says it means. */
const CALLS = readLines(root, '__test__', 'data', 'lattice-calls.jsonl')

/** The packages, at the versions that the labels are of, with the parts of them that were labelled. */
const TREES = {
  ignore: { crate: 'ignore-0.4.34', parts: ['src', 'Cargo.toml'] },
  'tree-sitter': { crate: 'tree-sitter-0.26.13', parts: ['src'] },
  commander: { npm: 'commander', version: '14.', parts: ['lib'] },
  semver: { npm: 'semver', version: '7.', parts: ['classes', 'functions', 'internal', 'ranges'] },
  clipanion: { npm: 'clipanion', version: '4.0.0', parts: ['lib'] },
}

function sourceOf({ crate, npm, version }) {
  if (npm) {
    const folder = join(root, 'node_modules', npm)
    const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
    assert.ok(installed.startsWith(version), `the calls of ${npm} were labelled for ${version}, not for ${installed}`)
    return folder
  }
  const cache = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry', 'src')
  const found = readdirSync(cache).map((registry) => join(cache, registry, crate))
  const folder = found.find((path) => existsSync(path))
  assert.ok(folder, `${crate} is pinned in Cargo.lock and must be in ${cache}; cargo fetch puts it there`)
  return folder
}

/** Indexes a package and returns, by file and first byte, what each call may mean. */
async function answersFor(t, tree) {
  const folder = freshFolder(t)
  for (const part of tree.parts) {
    mkdirSync(dirname(join(folder, part)), { recursive: true })
    cpSync(join(sourceOf(tree), part), join(folder, part), { recursive: true })
  }
  await latticeIndex({ projectDir: folder })
  const chunks = new Map(readLines(folder, '.forge', 'lattice', 'chunks.jsonl').map((chunk) => [chunk.id, chunk]))
  const answers = new Map()
  for (const edge of readLines(folder, '.forge', 'lattice', 'edges.jsonl')) {
    const key = `${chunks.get(edge.callerChunkId).filePath} ${edge.startByte} ${edge.calleeName}`
    const target = chunks.get(edge.calleeChunkId)
    const known = answers.get(key) ?? { means: [], resolved: edge.resolved, candidates: edge.candidates ?? 1 }
    if (target) known.means.push(`${target.filePath}:${target.startLine}`)
    answers.set(key, known)
  }
  return answers
}

/** Adds up how often answers are right: of edges that are drawn, and of calls that lead somewhere here. */
function score(calls, answers) {
  const sum = { calls: calls.length, edges: 0, right: 0, here: 0, found: 0, ways: {}, wrong: [] }
  for (const call of calls) {
    const answer = answers.get(`${call.file} ${call.start} ${call.name}`) ?? { means: [] }
    const right = answer.means.filter((place) => call.means.includes(place))
    sum.edges += answer.means.length
    sum.right += right.length
    sum.here += call.means.length > 0 ? 1 : 0
    sum.found += right.length > 0 ? 1 : 0
    if (answer.means.length > 0) {
      sum.ways[answer.resolved] ??= { edges: 0, right: 0 }
      const way = sum.ways[answer.resolved]
      way.edges += answer.means.length
      way.right += right.length
    }
    const isWrong = right.length !== answer.means.length || (call.means.length > 0 && right.length === 0)
    if (isWrong)
      sum.wrong.push(
        `${call.tree} ${call.file}:${call.line} ${call.receiver}.${call.name}: ${answer.means} not ${call.means}`,
      )
  }
  return sum
}

const percent = (part, whole) => (whole === 0 ? 1 : part / whole)
const shown = (part, whole) => `${(percent(part, whole) * 100).toFixed(1)} % (${part} of ${whole})`

test('300 calls that were read by hand are resolved as well as the documentation says', async (t) => {
  assert.equal(CALLS.length, 300)
  const sums = []
  for (const [name, tree] of Object.entries(TREES)) {
    const sum = score(
      CALLS.filter((call) => call.tree === name),
      await answersFor(t, tree),
    )
    sums.push(sum)
    t.diagnostic(`${name}: precision ${shown(sum.right, sum.edges)}, recall ${shown(sum.found, sum.here)}`)
  }
  const total = (field) => sums.reduce((count, sum) => count + sum[field], 0)
  for (const way of ['exact', 'import', 'name']) {
    const of = (field) => sums.reduce((count, { ways }) => count + (ways[way]?.[field] ?? 0), 0)
    t.diagnostic(`${way}: precision ${shown(of('right'), of('edges'))}`)
  }
  t.diagnostic(
    `all: precision ${shown(total('right'), total('edges'))}, recall ${shown(total('found'), total('here'))}`,
  )
  const wrong = sums.flatMap((sum) => sum.wrong)
  if (process.env.LATTICE_SHOW) console.log(wrong.join('\n'))
  assert.ok(percent(total('right'), total('edges')) >= 0.9, wrong.join('\n'))
  assert.ok(percent(total('found'), total('here')) >= 0.9, wrong.join('\n'))
})
