// An index made with the chunker and the git of the caller, as Plan Forge lets its callers inject them. It is written in Plan Forge's
// form, and read like one that Plan Forge wrote.
import { spawnSync } from 'node:child_process'
import { extname, isAbsolute, join, relative, resolve } from 'node:path'
import type { LatticeIndexOutcome } from '../native.js'
import { writeConfined } from '../shared/confined.js'
import { sha256 } from '../shared/digest.js'
import { problem } from '../shared/problem.js'
import { readJson, readRecords, readText } from './folder.js'
import { type Fields, fieldsIn, listIn, textIn } from './soft.js'

/** What a caller may give instead of the engine's own. */
export interface Injected {
  /** Returns the chunks of a file. It is called once for each file that is new or has changed. */
  chunker: (file: { filePath: string; content: string }) => unknown
  chunkerName: string
  chunkerVersion: string
  /** Runs a program and returns its output, as `execFileSync` does. */
  exec: (file: string, args: string[], options: { cwd: string }) => unknown
}

interface Asked {
  paths?: string[]
  since?: string
}

const FOLDER = ['.forge', 'lattice']
const OUTPUT_BYTES_MAX = 1024 * 1024 * 1024
/** The endings of the files that Plan Forge indexes. */
const ENDINGS = ['.js', '.mjs', '.ts', '.tsx', '.py', '.sql', '.md']

/** Lists the files that are meant by the caller's git; undefined when neither a git nor a chunker is injected. */
export async function listedBy(
  cwd: string,
  { paths, since }: Asked,
  deps: Partial<Injected>,
): Promise<string[] | undefined> {
  if (typeof deps.exec !== 'function' && typeof deps.chunker !== 'function') return undefined
  const exec = deps.exec ?? ownGit
  if (since !== undefined && !/^[^-\s]/.test(since))
    throw problem('INVALID_INPUT', 'since: expected a branch, a tag or a commit')
  const git = async (...args: string[]) => {
    try {
      return linesOf(await exec('git', args, { cwd }))
    } catch {
      // As in Plan Forge, a git that fails lists nothing.
      return []
    }
  }
  const listed = await git('ls-files', '--cached', '--others', '--exclude-standard')
  const changed = since === undefined ? undefined : new Set(await git('diff', '--name-only', since, 'HEAD'))
  const folders = paths?.map((path) => insideOf(cwd, path))
  const isBelow = (file: string, folder: string) => folder === '' || file === folder || file.startsWith(`${folder}/`)
  const isMeant = (file: string) =>
    ENDINGS.includes(extname(file)) &&
    (changed === undefined || changed.has(file)) &&
    (folders === undefined || folders.some((folder) => isBelow(file, folder)))
  return listed.filter(isMeant)
}

/** Returns nothing when git fails. */
function ownGit(file: string, args: string[], { cwd }: { cwd: string }): string {
  // The configuration of a repository must not start programs.
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.quotepath=false', ...args]
  return spawnSync(file, safe, { cwd, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX }).stdout ?? ''
}

function linesOf(output: unknown): string[] {
  const text = Buffer.isBuffer(output)
    ? output.toString('utf8')
    : (textIn(output) ?? textIn(fieldsIn(output).stdout) ?? '')
  return text.split(/\r?\n/).filter((line) => line !== '')
}

function insideOf(cwd: string, path: string): string {
  const inner = relative(cwd, resolve(cwd, path)).replaceAll('\\', '/')
  if (inner !== '..' && !inner.startsWith('../') && !isAbsolute(inner)) return inner
  throw problem('ERR_LATTICE_PATH_OUTSIDE_REPO', `${path} is outside of the project`)
}

/** Chunks files by the caller's chunker, and keeps the rest of an index that it made, unless all files are listed. */
export async function indexBy(
  { cwd, chunker, ...deps }: Partial<Injected> & Pick<Injected, 'chunker'> & { cwd: string },
  paths: string[],
  isWhole: boolean,
): Promise<LatticeIndexOutcome> {
  const [chunkerImpl, chunkerVersion] = [textIn(deps.chunkerName) ?? 'injected', textIn(deps.chunkerVersion) ?? '0']
  const meta = fieldsIn(readJson(cwd, ...FOLDER, 'meta.json'))
  const isSame = meta.chunkerImpl === chunkerImpl && meta.chunkerVersion === chunkerVersion
  const known = Object.entries(isSame ? fieldsIn(meta.files) : {})
  const hashes: Fields = Object.fromEntries(known.filter(([path]) => !isWhole || paths.includes(path)))
  const before = isSame ? readRecords(cwd, ...FOLDER, 'chunks.jsonl') : []
  const fresh: Fields[] = []
  const replaced = new Set<unknown>()
  let filesChanged = 0
  for (const filePath of paths) {
    const content = readText(cwd, filePath)
    if (content === undefined) continue
    const hash = sha256(content)
    if (hashes[filePath] === hash) continue
    filesChanged += 1
    hashes[filePath] = hash
    replaced.add(filePath)
    fresh.push(...listIn(await chunker({ filePath, content })).map((chunk) => recordOf(fieldsIn(chunk), filePath)))
  }
  const chunks = [
    ...before.filter(({ filePath }) => !replaced.has(filePath) && hashes[String(filePath)] !== undefined),
    ...fresh,
  ]
  const edges = chunks.flatMap(({ id, references }) =>
    listIn(references).map((calleeName) => ({ _v: 1, callerChunkId: id, calleeName })),
  )
  const filesIndexed = Object.keys(hashes).length
  const head = {
    _v: 1,
    lastIndexedAt: new Date().toISOString(),
    chunkerImpl,
    chunkerVersion,
    filesIndexed,
    files: hashes,
  }
  const write = (name: string, records: object[]) =>
    writeConfined(cwd, join(...FOLDER, name), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  write('chunks.jsonl', chunks)
  write('edges.jsonl', edges)
  write('meta.json', [head])
  const filesRemoved = known.length - known.filter(([path]) => hashes[path] !== undefined).length
  const counts = { chunks: chunks.length, edges: edges.length, filesRemoved, filesSkipped: 0, skipped: {} }
  return { filesIndexed: paths.length, filesChanged, ...counts }
}

function recordOf(chunk: Fields, filePath: string): Fields {
  const { kind, name, startByte } = chunk
  const path = textIn(chunk.filePath) ?? filePath
  return { _v: 1, ...chunk, filePath: path, id: sha256(`${path}:${kind}:${name}:${startByte}`).slice(0, 16) }
}
