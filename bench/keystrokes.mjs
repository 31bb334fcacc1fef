// What a newcomer types for thirteen tasks: with the names of the first release, which still work, and with those of today. A test types all
// of them that are not marked as lines of a shell by a dollar sign. What is pressed on the page for a few of them, beside other tools: a test presses
// those keys in a browser.   node bench/keystrokes.mjs   writes bench/keystrokes.md.
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

/** The same kind of task on the page, without the mouse, and in a terminal. A word is typed letter by letter. */
export const PRESSED = {
  find: { task: 'find one by a word of it, and read it', presses: ['Control+k', 'pool', 'Enter'], line: 'find pool' },
  write: {
    task: 'write one down',
    presses: ['c', 'Vite hangs in CI', 'Control+Enter'],
    line: 'add "Vite hangs in CI"',
  },
  decide: { task: 'accept the first of what waits', presses: ['g', 'r', 'y'] },
  undo: { task: 'take the last change back', presses: ['u'], line: 'undo' },
  past: { task: 'see what can be taken back', line: 'undo --list' },
  keys: { task: 'see all keys or commands', presses: ['?'], line: '--help' },
  home: { task: 'go to the first view', presses: ['g', 'h'] },
}

/** What is pressed in other tools; a text alone is a line, with Enter behind it. */
const OTHERS = {
  find: {
    Linear: ['/', 'pool', 'Enter'],
    Raycast: ['Alt+Space', 'pool', 'Enter'],
    Grafana: ['Ctrl+K', 'pool', 'Enter'],
  },
  write: { Linear: ['C', 'Vite hangs in CI', 'Ctrl+Enter'], gh: 'gh issue create -t "Vite hangs in CI" -b ""' },
  decide: { Linear: ['G', 'T', '1'], gh: 'gh pr review 7 -a' },
  undo: { Linear: ['Ctrl+Z'], jj: 'jj undo' },
  past: { jj: 'jj op log' },
  keys: { Linear: ['?'], Grafana: ['?'], gh: 'gh --help', jj: 'jj --help' },
  home: { Linear: ['G', 'I'], Grafana: ['g', 'h'] },
}
const TOOLS = ['Linear', 'Raycast', 'Grafana', 'gh', 'jj']

const ONE_PRESS = /^(Control|Ctrl|Alt)\+\w+$|^Enter$/

/** What is pressed, one after the other: a key with a modifier is one press. */
export const pressed = (keys) => keys.flatMap((each) => (ONE_PRESS.test(each) ? [each] : [...each]))

function countOf(typed) {
  if (typed === undefined) return '-'
  if (typeof typed === 'string') return `${typed.length + 1}: \`${typed}\``
  return `${pressed(typed).length}: \`${typed.join(' ')}\``
}

function besideOthers() {
  const rows = Object.entries(PRESSED).map(([name, { task, presses, line }]) => {
    const own = [countOf(presses), countOf(line === undefined ? undefined : typedLine(line))]
    return [task, ...own, ...TOOLS.map((tool) => countOf(OTHERS[name][tool]))]
  })
  const head = ['task', 'page', 'terminal', ...TOOLS]
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

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

## Beside other tools

What is pressed for the same kind of task: Enter, and a key with a modifier, is one. On the page nothing is clicked, and a test presses these keys in
a browser; the field of a capture stays for the next one, and Escape leaves it. The other tools were not driven: what is
pressed there is what we know of their default keys, not tried, and \`-\` stands where no way is known. In a terminal, twelve of our letters are the name of the program.

${besideOthers()}
`

const own = fileURLToPath(import.meta.url)
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === own) {
  writeFileSync(join(own, '..', 'keystrokes.md'), page())
}
