// Types the commands of a page in a shell, as a reader does from its top to its end, in a project and a home of their own.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freshCommand } from './command.mjs'

const SHELLS = new Set(['sh', 'bash', 'console'])
/** Each goes on until it is stopped. */
const ENDLESS = /^forge-memory (dashboard|serve|watch|mcp)\b/

/**
 * The commands in the blocks of a page. In a `console` block each begins with `$ `, and what it prints follows; in the others every line is
 * one, and a comment says what it does.
 */
export function stepsOf({ path, blocks }) {
  return blocks
    .filter(({ language }) => SHELLS.has(language))
    .flatMap((block) => (block.language === 'console' ? consoleSteps(block) : shellSteps(block)))
    .map((step) => ({ ...step, place: `${path}:${step.line}` }))
}

function consoleSteps({ lines, line }) {
  const steps = []
  for (const [at, text] of lines.entries()) {
    if (text.startsWith('$ ')) steps.push({ typed: text.slice(2), line: line + 1 + at, printed: [] })
    else steps.at(-1)?.printed.push(text)
  }
  return steps
}

function shellSteps({ lines, line }) {
  const steps = []
  let isContinued = false
  for (const [at, text] of lines.entries()) {
    const words = text.replace(/(^|\s+)#.*$/, '')
    if (isContinued) steps.at(-1).typed += ` ${words.trim()}`
    else if (words !== '') steps.push({ typed: words, line: line + 1 + at })
    isContinued = words.endsWith('\\')
    if (isContinued) steps.at(-1).typed = steps.at(-1).typed.slice(0, -1).trimEnd()
  }
  return steps
}

/** A project with code, past sessions and lessons of loops, where there is nothing in the memory yet. */
export function freshStage(t) {
  const command = freshCommand(t, { COLUMNS: '100', HF_ENDPOINT: 'http://127.0.0.1:9' })
  const { folder } = command
  const project = join(folder, 'shop')
  const user = join(folder, 'user')
  const write = (path, text) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  write(join(project, 'src', 'date.js'), CODE)
  write(join(project, '.aiwg', 'ralph', 'memory.json'), JSON.stringify(LESSONS, null, 2))
  write(join(user, '.claude', 'projects', 'shop', '7d1c52aa.jsonl'), sessionIn(project))
  const program = join(folder, 'bin', 'forge-memory')
  write(program, `#!/bin/sh\nexec '${process.execPath}' '${command.program}' "$@"\n`)
  chmodSync(program, 0o755)
  const env = command.env({
    HOME: user,
    USERPROFILE: user,
    CLAUDE_CONFIG_DIR: '',
    CODEX_HOME: '',
    XDG_CONFIG_HOME: '',
    XDG_DATA_HOME: '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
    PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
  })
  // Each of these is there on the machine of who reads of it: fish makes its own.
  for (const path of ['some/project', '.config/fish/completions']) mkdirSync(join(user, path), { recursive: true })
  write(join(folder, 'gitconfig'), '[user]\n  name = Ann\n  email = ann@example.org\n')
  for (const words of ['init --quiet', 'remote add origin https://git.example.org/acme/shop.git', 'add src'])
    spawnSync('git', words.split(' '), { cwd: project, env })
  spawnSync('git', ['commit', '--quiet', '-m', 'Dates'], { cwd: project, env })
  return { project, folder, env }
}

const CODE = `export function parseDate(text) {
  return new Date(text)
}
export function monthOf(text) {
  return parseDate(text).getMonth()
}
export function reportOf(texts) {
  return texts.map(monthOf)
}
`

const LESSONS = [
  {
    id: 'mem_a1b2c3',
    loopId: 'abc123',
    iteration: 2,
    createdAt: '2026-04-01T10:42:00Z',
    type: 'failure_pattern',
    lesson: 'Auth mocks must be initialized inside beforeEach, not at module scope',
    tags: ['auth', 'mocks'],
    confidence: 0.9,
  },
  {
    id: 'mem_c3d4e5',
    loopId: 'abc123',
    iteration: 3,
    createdAt: '2026-04-01T10:41:00Z',
    type: 'lesson_learned',
    lesson: 'Use jest.resetAllMocks() in afterEach to prevent mock state leakage',
    tags: ['auth', 'jest'],
    confidence: 0.8,
  },
]

const SAID = [
  ['user', 'The webhook of the payment provider times out. Why?'],
  ['assistant', 'The webhook waits for the ledger: it answers after the transaction instead of before it.'],
  ['user', 'no, use pnpm here, not npm'],
  ['user', 'Always answer webhooks before the ledger is written.'],
]

function sessionIn(cwd) {
  const lines = SAID.map(([role, content], at) => ({
    type: role,
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    sessionId: '7d1c52aa-0000-4000-8000-000000000000',
    timestamp: new Date(Date.now() - (60 - at) * 60_000).toISOString(),
    cwd,
    message: { role, content },
  }))
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Types a line in a shell: exit code and all that is printed. What goes on until it is stopped is stopped when it has said something. */
export function typed(line, { project, env }) {
  const isEndless = ENDLESS.test(line)
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', isEndless ? `exec ${line}` : line], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const take = (text) => {
      output += text
      if (isEndless) child.kill('SIGTERM')
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    child.on('close', (status) => resolve({ status: isEndless ? 0 : status, output: output.trimEnd() }))
  })
}

/** Notes which id of the page is which one now: a reader types what was printed to him. */
function learnIds(printed, output, known) {
  const shown = printed.match(ID) ?? []
  const now = output.match(ID) ?? []
  for (const [at, id] of shown.entries()) {
    if (now[at] === undefined || known.now.has(shortOf(id))) continue
    known.now.set(shortOf(id), shortOf(now[at]))
    known.page.set(shortOf(now[at]), id)
  }
}

const ID = /\b(?:mem_)?[0-9a-f]{32}\b|\b[0-9a-f]{8}\b/g
const shortOf = (id) => id.slice(-8)

const withIdsOfNow = (line, known) => line.replace(ID, (id) => known.now.get(shortOf(id)) ?? id)
const withIdsOfPage = (text, known) => text.replace(ID, (id) => known.page.get(shortOf(id))?.slice(-id.length) ?? id)

/** Makes texts of different days and machines comparable. */
export const plain = (text) =>
  text
    .replace(ID, (id) => (id.length > 8 ? 'mem_ID' : 'ID'))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g, 'TIME')
    .replace(/\bstored, until \d{1,2} [A-Z][a-z]{2}\b/g, 'stored, until DAY')
    .replace(/\b[0-9a-f]{40,}\b/g, 'HASH')
    .replace(/token=[\w-]+/g, 'token=TOKEN')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\b\d+(\.\d+)? (ms|s|B|KiB|MiB|bytes)\b/g, 'N $2')
    .trimEnd()

/** What a page shows of an output: the folders of the test are those of a reader. */
export const shownOf = (output, { project, folder }) =>
  output
    .replaceAll(project, '~/shop')
    .replaceAll(join(folder, 'home'), '~/.forge')
    .replaceAll(join(folder, 'user'), '~')

/** Types all commands of a page. Those that `isLeftOut` says are not. */
export async function typePage(page, stage, isLeftOut = () => false) {
  const known = { now: new Map(), page: new Map() }
  const done = []
  for (const step of stepsOf(page)) {
    if (isLeftOut(step)) continue
    const { status, output } = await typed(withIdsOfNow(step.typed, known), stage)
    const shown = shownOf(output, stage)
    learnIds((step.printed ?? []).join('\n'), shown, known)
    done.push({ ...step, status, shown: withIdsOfPage(shown, known) })
  }
  return done
}
