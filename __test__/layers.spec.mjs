import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { drawingIn, drawLibrary } from '../scripts/rooms/drawing.mjs'
import { findArrowsUp, findCircles, foldIntoRooms } from '../scripts/rooms/graph.mjs'
import { LAYERS, roomOf, WAYS_OUT } from '../scripts/rooms/layers.mjs'
import { importsBelow } from '../scripts/rooms/typescript-imports.mjs'
import { freshFolder, root } from './support/project.mjs'

const imports = importsBelow(join(root, 'lib'))
const arrows = foldIntoRooms(imports, roomOf)
const named = (found) => found.flatMap((arrow) => arrow.imports.map(({ from, to }) => `${from} -> ${to}`))

/** Writes a tree of files, which import what is listed for each. */
function treeOf(t, files) {
  const folder = freshFolder(t)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return foldIntoRooms(importsBelow(folder), roomOf)
}

test('neither the folders of lib/ nor its files have import cycles', () => {
  assert.deepEqual(findCircles(arrows), [])
  assert.deepEqual(findCircles(foldIntoRooms(imports, (file) => file)), [])
})

test('no file of lib/ imports from its own layer or from one above it', () => {
  assert.deepEqual(named(findArrowsUp(arrows, LAYERS)), [])
})

test('every folder of lib/ is in exactly one layer', () => {
  const rooms = [...new Set(imports.flatMap(({ from, to }) => [roomOf(from), roomOf(to)]))]
  assert.deepEqual(LAYERS.flat().sort(), rooms.filter((room) => room !== undefined).sort())
})

test('only lib/native.ts imports the binding, and nothing imports the public entry', () => {
  const out = imports.filter(({ to }) => to.startsWith('..'))
  assert.deepEqual(
    out.filter(({ from, to }) => !WAYS_OUT[to]?.includes(from)),
    [],
  )
  assert.deepEqual(
    imports.filter(({ to }) => to === 'index.ts'),
    [],
  )
})

/** The files below a folder whose code, tests apart, has one of the calls. */
function filesWith(folder, end, calls, { isLeftOut = () => false } = {}) {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  const paths = all.map((path) => path.replaceAll('\\', '/')).filter((path) => path.endsWith(end) && !isLeftOut(path))
  return paths.filter((path) => {
    const [code] = readFileSync(join(root, folder, path), 'utf8').split('#[cfg(test)]')
    return calls.test(code.replace(/^\s*\/\/.*$/gm, ''))
  })
}

test('only crates/journal opens files for writing, beside notes of hooks in the own folder and what the user edits', () => {
  const isLeftOut = (path) => /^(journal|test-disk)\/|\/(tests|examples)\/|\/(tests|tiny)\.rs$/.test(path)
  const written = /\bfs::(write|rename)\(|OpenOptions::new|File::create/
  assert.deepEqual(filesWith('crates', '.rs', written, { isLeftOut }).sort(), [
    'moment/src/alarm.rs',
    'moment/src/journal.rs',
    // A file that one of several processes makes: its existence is the claim.
    'moment/src/private.rs',
  ])
  assert.deepEqual(filesWith('src', '.rs', written), [])
  const found = filesWith('lib', '.ts', /\b(writeFile(Sync)?|appendFileSync|createWriteStream)\(/)
  assert.deepEqual(found.sort(), [
    // A text that the user edits, and a file of git.
    'cli/commands/merge-driver.ts',
    'cli/editor.ts',
    'shared/confined.ts',
    'shared/private-file.ts',
  ])
})

test('an import cycle is found for every form of import', (t) => {
  for (const back of [
    "import { a } from '../a/a.js'",
    "import type { a } from '../a/a.js'",
    "export * from '../a/a.js'",
    "export const load = () => import('../a/a.js')",
    "export type A = import('../a/a.js').A",
  ]) {
    const tree = treeOf(t, {
      'a/a.ts': "import { b } from '../b/b.js'\nexport const a = b",
      'b/b.ts': "import { c } from '../c/c.js'\nexport const b = c",
      'c/c.ts': `${back}\nexport const c = 1`,
      'd/d.tsx': "import { a } from '../a/a.js'",
    })
    assert.deepEqual(findCircles(tree), [['a', 'b', 'c']], back)
  }
})

test('text that only looks like an import is not counted', (t) => {
  const text = "// import { b } from '../b/b.js'\nexport const a = \"import { b } from '../b/b.js'\""
  assert.deepEqual(treeOf(t, { 'a/a.ts': text, 'b/b.ts': 'export const b = 1' }), [])
})

test('an import of the same or a higher layer is found, and one of a folder without a layer', (t) => {
  const tree = treeOf(t, {
    'low/low.ts': "import { high } from '../high/high.js'",
    'high/high.ts': "import '../other/other.js'\nimport '../nowhere/nowhere.js'\nexport const high = 1",
    'other/other.ts': "import '../low/low.js'",
    'nowhere/nowhere.ts': '',
  })
  const layers = [['low'], ['high', 'other']]
  assert.deepEqual(
    findArrowsUp(tree, layers).map(({ from, to }) => `${from} -> ${to}`),
    ['high -> nowhere', 'high -> other', 'low -> high'],
  )
})

test('the drawing of lib/ in the documents is up to date', () => {
  const page = readFileSync(join(root, 'docs', 'rooms.md'), 'utf8')
  assert.equal(drawingIn(page, 'lib'), drawLibrary(root), 'node scripts/draw-rooms.mjs draws it again')
})
