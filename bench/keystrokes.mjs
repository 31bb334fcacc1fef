// What a newcomer types for thirteen tasks: with the names of the first release, which still work, and with those of today. A test types all
// of them that are not marked as lines of a shell by a dollar sign.   node bench/keystrokes.mjs   writes bench/keystrokes.md.
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TEXT = '"Jest needs --runInBand"'

const SHELL = ['$ npm link', '$ cd ~/shop']

/** Each with what is typed; `before` is absent where the first release had no way. `ID` is the short id of a memory. */
export const TASKS = [
  {
    task: "first answer in one's own project, after the clone is set up",
    before: [...SHELL, 'init --agent claude --yes', 'capture --type gotcha "Vite hangs in CI"', 'recall vite'],
    now: [...SHELL, 'init --yes', 'add "Vite hangs in CI"', 'find vite'],
  },
  { task: 'write down a gotcha', before: [`capture --type gotcha ${TEXT}`], now: [`add -t gotcha ${TEXT}`] },
  {
    task: 'write down what holds in all projects',
    before: ['save "Makefiles use tabs" --category convention --scope global'],
    now: ['add --scope global "Makefiles use tabs"'],
  },
  { task: 'find it again', before: ['recall jest'], now: ['find jest'] },
  {
    task: 'find at most three gotchas',
    before: ['recall jest --type gotcha --limit 3'],
    now: ['find jest -t gotcha -n 3'],
  },
  { task: 'see what is stored', before: ['list'], now: ['list'] },
  { task: 'read one memory', before: ['show ID'], now: ['show ID'] },
  { task: 'correct it', before: [`edit ID ${TEXT}`], now: [`edit ID ${TEXT}`] },
  { task: 'take the correction back', before: ['show ID --history', 'edit ID "Jest needs -i"'], now: ['undo'] },
  {
    task: 'forget it, and take that back',
    before: ['forget ID', `capture --type gotcha ${TEXT}`],
    now: ['forget ID', 'undo'],
  },
  { task: 'what was learned, retired and waits today', now: ['status --today'] },
  { task: 'decide about what waits', now: ['review'] },
  { task: 'look at it in a browser', now: ['dashboard'] },
]

/** What is typed for a line: with the name of the program, unless it is one of the shell. */
export const typedLine = (line) => (line.startsWith('$ ') ? line.slice(2) : `forge-memory ${line}`)

/** The keys of the lines, each with Enter. An id is eight keys. */
export const keysOf = (lines) =>
  lines.reduce((sum, line) => sum + typedLine(line).replaceAll('ID', '7f3a9c21').length + 1, 0)

export function table() {
  const shown = (lines) => (lines === undefined ? 'not there' : lines.map((line) => `\`${line}\``).join(', '))
  const rows = TASKS.map(({ task, before, now }) => [
    task,
    shown(before),
    before ? keysOf(before) : '',
    shown(now),
    keysOf(now),
  ])
  const both = TASKS.filter(({ before }) => before !== undefined)
  const sum = (of) => both.reduce((total, task) => total + keysOf(of(task)), 0)
  const total = [`the ${both.length} that both have`, '', sum(({ before }) => before), '', sum(({ now }) => now)]
  const lines = [['task', 'first release', 'keys', 'now', 'keys'], ['---', '---', '--:', '---', '--:'], ...rows, total]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export const page = () => `# What a newcomer types

For people who judge how easy it is: thirteen tasks, each with Enter behind it and, but for lines of a shell (\`$\`), \`forge-memory\` before
it. \`node bench/keystrokes.mjs\` writes this page, and a test types every line. With completion (Tab) it is fewer.

${table()}
`

const own = fileURLToPath(import.meta.url)
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === own) {
  writeFileSync(join(own, '..', 'keystrokes.md'), page())
}
