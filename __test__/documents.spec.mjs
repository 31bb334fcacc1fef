import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import test from 'node:test'
import * as library from '../dist/index.js'
import { described, renderPage } from '../scripts/cli-reference.mjs'
import { completed, completedPages, requestsIn } from '../scripts/surface-tables.mjs'
import { installedModel, model } from './support/model.mjs'
import { commandsShown, faultsOf, localLinks, parsePage, readPages } from './support/pages.mjs'
import { freshFolder, root } from './support/project.mjs'

const pages = readPages()
const read = (...path) => readFileSync(join(root, ...path), 'utf8')
const isDocumentation = ({ path }) => path === 'README.md' || path.startsWith('docs/')

const FORMATS = [
  ['crates/core/src/index/segment.rs', /const FORMAT: u32 = (\d+)/, 'The index segment, version $'],
  ['crates/core/src/meaning/vector_file.rs', /const FORMAT: u32 = (\d+)/, 'The file of vectors, version $'],
  ['crates/lattice/src/graph/layout.rs', /const FORMAT: u32 = (\d+)/, '| 4 | 4 | version, `u32`: $ |'],
  [
    'crates/lattice/src/facts/model.rs',
    /const STORED_VERSION: u32 = (\d+)/,
    '| 4 | 4 | version of the stored facts, `u32`: $ |',
  ],
]

test('the versions of file formats in the documents are those of the code', () => {
  const documented = readFileSync(join(root, 'docs/reference/formats.md'), 'utf8')
  for (const [file, pattern, sentence] of FORMATS) {
    const [, version] = readFileSync(join(root, file), 'utf8').match(pattern)
    assert.ok(documented.includes(sentence.replace('$', version)), sentence.replace('$', version))
  }
})

test('no page has a heading, a row of a table or an empty block where it should not', () => {
  assert.ok(pages.length > 15)
  assert.deepEqual(pages.flatMap(faultsOf), [])
})

test('the checks of a page detect their defects', () => {
  const text = '# A\n\n## B\n\n```sh\n```\n\n| a |\n|---|\n| x |\n| x |\n\n## B\n'
  const faults = faultsOf(parsePage('page.md', text)).map((fault) => fault.split(': ')[0])
  assert.deepEqual(faults, ['page.md:13', 'page.md:5', 'page.md:11'])
})

test('every link leads to a file, and every anchor to a heading', () => {
  const anchors = new Map(pages.map(({ path, headings }) => [path, new Set(headings.map(({ anchor }) => anchor))]))
  const broken = pages.flatMap((page) =>
    localLinks(page).flatMap(({ target, anchor, line }) => {
      const path = target === '' ? page.path : normalize(join(dirname(page.path), target)).replaceAll('\\', '/')
      if (!existsSync(join(root, path))) return [`${page.path}:${line}: ${target} does not exist`]
      const isFound = anchor === undefined || anchors.get(path)?.has(anchor)
      return isFound ? [] : [`${page.path}:${line}: ${path} has no heading #${anchor}`]
    }),
  )
  assert.deepEqual(broken, [])
})

test('every page of the documentation begins with its audience', () => {
  const without = pages
    .filter(({ path }) => path.startsWith('docs/'))
    .flatMap(({ path, lines }) => {
      const first = lines.slice(1).find(({ text }) => text.trim() !== '')
      return /^For /.test(first?.text ?? '') ? [] : [`${path}: ${first?.text}`]
    })
  assert.deepEqual(without, [])
})

test('no sentence occurs in two places', () => {
  const places = new Map()
  for (const { path, lines } of pages.filter(isDocumentation)) {
    for (const { text, line } of lines.filter(({ text }) => text.trim().length >= 70)) {
      places.set(text.trim(), [...(places.get(text.trim()) ?? []), `${path}:${line}`])
    }
  }
  assert.deepEqual(
    [...places.values()].filter((at) => at.length > 1),
    [],
  )
})

test('the tables of tools and of requests have what there is, and nothing else', () => {
  for (const [page, text] of Object.entries(completedPages()))
    assert.equal(read('docs', page), text, `${page}: node scripts/surface-tables.mjs writes it`)
})

test('a row of a table of what is not there is an error that names it', () => {
  const rowOf = (name) => `| \`${name}\` | new |`
  const tableOf = (...requests) =>
    ['| request |', '|---|', ...requests.map((each) => `| \`${each}\` | old |`), '', ''].join('\n')
  const tableFor = (...requests) =>
    completed(tableOf(...requests), '| request |', requestsIn, ['GET /a', 'GET /b'], rowOf)
  assert.equal(tableFor('GET /a'), tableOf('GET /a').replace('\n\n', `\n${rowOf('GET /b')}\n\n`))
  for (const gone of ['GET /c', 'GET /b`, `/c', '/b'])
    assert.throws(() => tableFor('GET /a', gone), new RegExp(`not there: \\| .${gone}`))
})

test('the command reference equals the help of the commands', () => {
  const page = read('docs', 'reference', 'cli.md')
  assert.equal(page, renderPage(page), 'node scripts/cli-reference.mjs writes it')
})

/** Reads what commands there are, and their options, from the page that the test before holds against the program. */
function knownCommands() {
  const { blocks } = parsePage('cli.md', read('docs', 'reference', 'cli.md'))
  const known = new Map()
  for (const { lines } of blocks) {
    const usage = /^Usage: forge-memory ?([a-z -]*)/.exec(lines[0])?.[1].trim()
    const options = lines.flatMap((line) => [...line.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/g)].map(([, name]) => name))
    if (usage !== undefined) known.set(usage, new Set([...options, ...lines.flatMap(shortOf)]))
  }
  return known
}

const shortOf = (line) => [...line.matchAll(/^ {2}(-\w), /g)].map(([, name]) => name)

test('every command and option that a page shows exists', () => {
  const known = knownCommands()
  const aliases = described().aliases
  assert.ok(known.size > 30)
  const globals = new Set(described().options.flatMap(({ long, short }) => [long, short, '-h', '--help']))
  const isName = (word) => /^[a-z][a-z-]*$/.test(word ?? '')
  let count = 0
  const wrong = pages
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .flatMap((page) =>
      commandsShown(page).flatMap(({ words, text, line }) => {
        const [given, ...others] = words.filter((word) => !globals.has(word))
        const [first, ...next] = [...(aliases[given]?.split(' ') ?? [given]), ...others]
        const [second, third] = next
        if (!isName(first) || first === 'help') return []
        count += 1
        const names = [
          [first, second, third],
          [first, second],
        ].map((path) => path.join(' '))
        const name = names.find((path) => known.has(path)) ?? first
        if (!known.has(name)) return [`${page.path}:${line}: ${text}: there is no such command`]
        const options = words
          .slice(0, words.includes('--') ? words.indexOf('--') : undefined)
          .map((word) => /^\[?(--?[a-z][a-z-]*)/.exec(word)?.[1])
          .filter((option) => option !== undefined)
        const missing = options.filter((option) => !known.get(name).has(option) && !globals.has(option))
        return missing.map((option) => `${page.path}:${line}: ${text}: ${name} has no ${option}`)
      }),
    )
  assert.deepEqual(wrong, [])
  assert.ok(count > 60, `${count} commands were looked at`)
})

test('every sample in JavaScript runs', (t) => {
  const folder = freshFolder(t)
  const project = join(folder, 'project')
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  symlinkSync(root, join(project, 'node_modules', 'forge-memory'), 'junction')
  // Something to recall, and a model to embed with.
  installedModel()
  // The pages of the reference run as a whole, in `reference.spec.mjs`.
  const samples = pages
    .filter((page) => isDocumentation(page) && !page.path.startsWith('docs/reference/api/'))
    .flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => language === 'js')
        .map(({ lines, line }) => ({ place: `${path}:${line}`, lines })),
    )
  assert.ok(samples.length >= 6, `${samples.length} samples`)
  for (const [at, { place, lines }] of samples.entries()) {
    const file = join(project, `sample-${at}.mjs`)
    writeFileSync(file, lines.join('\n'))
    const env = { ...process.env, FORGE_HOME: model.home }
    const { status, stderr, error } = spawnSync(process.execPath, [file], { cwd: project, env, encoding: 'utf8' })
    assert.equal(error, undefined, place)
    assert.equal(status, 0, `${place}\n${stderr}`)
  }
})

test('every function that the reference names can be imported', () => {
  const { lines } = parsePage('', read('docs', 'reference', 'library.md'))
  const rows = lines.filter(({ text }) => text.startsWith('| `') && !text.includes('from `forge-memory/'))
  const named = rows.flatMap(({ text }) => [...text.split('|')[1].matchAll(/`(\w+)/g)].map(([, name]) => name))
  assert.ok(named.length > 50)
  assert.deepEqual(
    named.filter((name) => !(name in library)),
    [],
  )
})

const sourcesUnder = (folder, ending) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending) && !entry.parentPath.includes('dashboard'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))

test('every setting that is declared is used', () => {
  const { properties } = JSON.parse(read('docs', 'reference', 'forge.schema.json'))
  const keys = Object.entries(properties).flatMap(([key, { properties: group }]) =>
    group ? Object.keys(group) : [key],
  )
  assert.ok(keys.length > 25)
  const rooms = readdirSync(join(root, 'crates')).filter((name) => name !== 'settings')
  const rust = rooms.flatMap((name) =>
    existsSync(join(root, 'crates', name, 'src')) ? sourcesUnder(`crates/${name}/src`, '.rs') : [],
  )
  const sources = [...rust, ...sourcesUnder('lib', '.ts')].join('\n')
  const isUsed = (key) => {
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return new RegExp(`\\.(${key}|${snake})\\b|[{,] ?${key}\\b[^}]*\\} = `).test(sources)
  }
  assert.deepEqual(
    keys.filter((key) => !isUsed(key)),
    [],
  )
})

test('every variable of the environment that is declared is read, and only those', () => {
  const declared = [...read('lib', 'shared', 'declared-settings.ts').matchAll(/^ {2}\| '(\w+)'$/gm)].map(
    ([, name]) => name,
  )
  const code = [
    ...sourcesUnder('lib', '.ts').filter((text) => !text.includes('export type Variable')),
    ...sourcesUnder('crates/moment/src', '.rs'),
  ]
  const isRead = (name) => code.some((text) => new RegExp(`(\\benv(ironment)?(\\.|::)|')${name}\\b`).test(text))
  assert.ok(declared.length > 20)
  assert.deepEqual(
    declared.filter((name) => !isRead(name)),
    [],
  )
})
