import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Environment } from '../shared/environment.js'
import { codeOf, hintOf, INVALID_INPUT_HINT, messageOf } from '../shared/problem.js'
import { oneLine } from '../text/printable.js'
import { Failure } from './failure.js'

/** A draft in a folder that no other user can read. */
const DRAFT_BYTES_MAX = 1024 * 1024

/** The command that opens a file, as a line for a shell: it may have arguments, such as `code --wait`. */
function editorOf(env: Environment = process.env, platform: string = process.platform): string {
  return env.VISUAL?.trim() || env.EDITOR?.trim() || (platform === 'win32' ? 'notepad' : 'vi')
}

/**
 * Opens a text in the user's editor, and gives the saved text to `take`. The file is removed when `take` returns; when
 * the editor or `take` fails, it stays, and the error says where.
 */
export function editText<T>(name: string, text: string, take: (saved: string) => T): T {
  const path = join(mkdtempSync(join(tmpdir(), 'forge-memory-')), name)
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  try {
    openEditor(editorOf(), path)
    const result = take(readSaved(path))
    rmSync(dirname(path), { recursive: true, force: true })
    return result
  } catch (error) {
    throw keptAt(path, error)
  }
}

function openEditor(editor: string, path: string): void {
  const { status, signal, error } = withoutInterrupts(() => spawnEditor(editor, path))
  if (error === undefined && status === 0) return
  const why = error === undefined ? (signal ?? `exit code ${status}`) : messageOf(error)
  throw new Failure('IO', `the editor ${JSON.stringify(editor)} failed: ${why}`, {
    hint: 'set VISUAL or EDITOR to the editor that you use',
  })
}

function spawnEditor(editor: string, path: string): SpawnSyncReturns<Buffer> {
  if (process.platform === 'win32') return spawnSync(`${editor} "${path}"`, { stdio: 'inherit', shell: true })
  // As git does it: the shell splits the arguments of the editor, and takes the path as it is.
  return spawnSync('sh', ['-c', `${editor} "$@"`, editor, path], { stdio: 'inherit' })
}

/** Ctrl-C is for the editor. This process stays, to say where the draft is. */
function withoutInterrupts<T>(run: () => T): T {
  const stay = () => undefined
  process.on('SIGINT', stay)
  try {
    return run()
  } finally {
    process.removeListener('SIGINT', stay)
  }
}

function readSaved(path: string): string {
  if (statSync(path).size > DRAFT_BYTES_MAX) throw new Failure('INVALID_INPUT', 'the draft has more than 1 MiB')
  return readFileSync(path, 'utf8')
}

/** The same error, with the place of the draft in its hint. */
function keptAt(path: string, error: unknown): Failure {
  const hint = hintOf(error)
  const kept = `nothing was stored; the draft is kept in ${oneLine(path)}`
  return new Failure(codeOf(error), messageOf(error), {
    hint: hint === undefined || hint === INVALID_INPUT_HINT ? kept : `${kept}; ${hint}`,
  })
}
