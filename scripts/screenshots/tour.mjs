// The tour as somebody sees it: the real command in a folder of its own, what it types and what it prints.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { isTitle, renderTerminal } from './terminal.mjs'

const COLUMNS = 88
const ROWS = 18
const TITLE =
  'The tour of forge-memory in a terminal: lessons are captured, a copy is not stored twice, a reversal is kept, a password is removed, and a question finds the lesson'
/** Chapters that a picture of half a minute has no room for. */
const LEFT_OUT = ['Save patterns for the next run', 'See what is there', 'Next, type']

/** Takes the tour with the built command, and draws it. */
export function drawTour(program) {
  return renderTerminal(recordTour(program), { columns: COLUMNS, height: ROWS, title: TITLE })
}

/** Takes the tour, and returns its lines with their colours. What is typed begins with a dollar sign. */
function recordTour(program) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-'))
  // npm says by INIT_CWD where it was started; the tour would take place there.
  const { INIT_CWD, ...inherited } = process.env
  const env = {
    ...inherited,
    FORGE_HOME: join(folder, 'home'),
    FORCE_COLOR: '1',
    NO_COLOR: '',
    COLUMNS: String(COLUMNS),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  }
  const options = { cwd: folder, env, encoding: 'utf8', input: '' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'tour', '--dir', 'shop'], options)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  if (status !== 0) throw new Error(`forge-memory tour failed: ${stderr}`)
  return chaptersOf(stdout)
    .filter(({ title }) => !LEFT_OUT.includes(title))
    .flatMap(({ lines }) => [...lines, ''])
}

/** A chapter begins with a title in bold. The line before the first one names the folder. */
function chaptersOf(output) {
  const chapters = []
  for (const line of output.split('\n').slice(1)) {
    if (isTitle(line)) chapters.push({ title: stripVTControlCharacters(line), lines: [] })
    const lines = chapters.at(-1)?.lines
    if (line !== '' || lines?.at(-1)) lines?.push(line)
  }
  for (const { lines } of chapters) while (lines.at(-1) === '') lines.pop()
  return chapters
}
