import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, join } from 'node:path'
import test from 'node:test'
import { latticeIndex } from '../dist/index.js'
import { freshFolder, readLines, root } from './support/project.mjs'

/**
 * What both sides call a definition. Fields, variables and constants are none of the graph's; ctags counts `mod name;` and
 * imported types as definitions, which are none either.
 */
const KINDS = {
  JavaScript: new Set(['function', 'class', 'method', 'generator', 'getter', 'setter']),
  TypeScript: new Set(['function', 'class', 'method', 'interface', 'enum', 'namespace', 'generator']),
  Rust: new Set(['function', 'struct', 'enum', 'interface', 'method', 'macro']),
  Python: new Set(['function', 'class', 'member']),
  C: new Set(['function', 'struct', 'union']),
}
const CODE = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.rs', '.py', '.c', '.h'])

/** Asks Universal Ctags for the definitions below a folder. */
function tagsOf(folder) {
  const args = ['--output-format=json', '--fields=+neKl', '--kinds-all=*', '-R', '--exclude=.forge', '-f', '-', '.']
  const { stdout, error } = spawnSync('ctags', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30 })
  if (error) throw error
  return (
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(
        (tag) => tag._type === 'tag' && KINDS[tag.language]?.has(tag.kind) && !/^(anonymous|__anon)/i.test(tag.name),
      )
      // ctags 5.9 takes a constant object in capitals for a class.
      .filter((tag) => tag.kind !== 'class' || !/^\/\^\s*(export )?const /.test(tag.pattern ?? ''))
      .map((tag) => ({ ...tag, path: tag.path.replace(/^\.\//, '') }))
  )
}

function copyCode(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = join(from, entry.name)
    if (entry.isDirectory()) {
      // Folders with a dot hold what was installed, not what was written.
      if (!entry.name.startsWith('.') && !['node_modules', 'target', 'dist'].includes(entry.name))
        copyCode(path, join(to, entry.name))
    } else if (CODE.has(extname(entry.name)) && statSync(path).size < 500_000) {
      mkdirSync(to, { recursive: true })
      cpSync(path, join(to, entry.name))
    }
  }
}

/** The folder of a crate in the cache of the package manager. */
function crate(name) {
  const cache = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry', 'src')
  const found = readdirSync(cache).flatMap((registry) =>
    readdirSync(join(cache, registry))
      .filter((folder) => folder.replace(/-\d.*$/, '') === name)
      .map((folder) => join(cache, registry, folder)),
  )
  assert.ok(found.length > 0, `${name} is a dependency, so its sources are in ${cache}`)
  return found.sort()[0]
}

/**
 * Tells whether a definition of several lines ends where its indentation says: ctags knows the end in few languages, but
 * these trees are formatted, so the last line is as far in as the first and begins with a closing mark.
 */
function endsWhereIndented({ startLine, endLine }, lines) {
  const indentOf = (line) => /^\s*/.exec(line)[0].length
  const [first, last] = [lines[startLine - 1] ?? '', lines[endLine - 1] ?? '']
  return indentOf(first) === indentOf(last) && /^\s*[})\];]/.test(last)
}

function indentation(folder, chunks) {
  const files = new Map()
  const counts = { long: 0, agree: 0, other: [] }
  for (const chunk of chunks.filter(
    ({ startLine, endLine, filePath }) => endLine > startLine && !filePath.endsWith('.py'),
  )) {
    const { filePath } = chunk
    if (!files.has(filePath)) files.set(filePath, readFileSync(join(folder, filePath), 'utf8').split('\n'))
    counts.long += 1
    if (endsWhereIndented(chunk, files.get(filePath))) counts.agree += 1
    else counts.other.push(`${filePath}:${chunk.startLine} ${chunk.name} ends at ${chunk.endLine}`)
  }
  return counts
}

/** Compares all definitions below a folder, both ways; what only one side has is listed. */
async function compare(t, source) {
  const folder = freshFolder(t)
  copyCode(source, folder)
  await latticeIndex({ projectDir: folder })
  const chunks = readLines(folder, '.forge', 'lattice', 'chunks.jsonl').filter(({ kind }) => kind !== 'file')
  const places = new Map()
  for (const chunk of chunks) {
    const key = `${chunk.filePath}\0${chunk.name}`
    places.set(key, [...(places.get(key) ?? []), chunk])
  }
  const counts = { tags: 0, found: 0, ends: 0, sameEnd: 0, missing: [], otherEnd: [] }
  for (const tag of tagsOf(folder)) {
    const name = tag.name.split(/[.:]+/).at(-1)
    counts.tags += 1
    const there = (places.get(`${tag.path}\0${name}`) ?? []).find(
      (chunk) => chunk.startLine <= tag.line && tag.line <= chunk.startLine + 3,
    )
    if (!there) {
      counts.missing.push(`${tag.path}:${tag.line} ${tag.kind} ${tag.name}`)
      continue
    }
    counts.found += 1
    if (tag.end === undefined) continue
    counts.ends += 1
    if (tag.end === there.endLine) counts.sameEnd += 1
    else counts.otherEnd.push(`${tag.path}:${tag.line} ${tag.name} ends at ${tag.end}, ours at ${there.endLine}`)
  }
  return { ...counts, ...indentation(folder, chunks) }
}

const TREES = [
  { name: 'the project itself', folder: () => root, found: 0.97 },
  { name: 'the crate memchr', folder: () => crate('memchr'), found: 0.97 },
  { name: 'the crate regex-automata', folder: () => crate('regex-automata'), found: 0.97 },
  { name: 'the package commander', folder: () => join(root, 'node_modules', 'commander'), found: 0.97 },
]
for (const { name, folder, found } of TREES) {
  test(`definitions and ranges agree with ctags in ${name}`, async (t) => {
    const counts = await compare(t, folder())
    t.diagnostic(
      `${counts.tags} definitions, ${counts.found} found; ${counts.ends} with an end, ${counts.sameEnd} the same`,
    )
    if (process.env.LATTICE_SHOW) console.log([...counts.missing, ...counts.otherEnd].join('\n'))
    assert.ok(counts.tags > 50, 'ctags found nothing to compare with')
    const list = (lines) => lines.slice(0, 40).join('\n')
    assert.ok(
      counts.found / counts.tags >= found,
      `${counts.missing.length} of ${counts.tags} missing\n${list(counts.missing)}`,
    )
    t.diagnostic(`${counts.long} of several lines, ${counts.agree} end where their indentation says`)
    assert.ok(counts.agree / counts.long >= 0.97, `${counts.long - counts.agree} end elsewhere\n${list(counts.other)}`)
    assert.ok(counts.ends === 0 || counts.sameEnd / counts.ends >= 0.97, list(counts.otherEnd))
  })
}
