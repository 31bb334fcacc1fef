// The repository, the rules that a person tells once, the task that needs them, and how one sees whether they were followed.
// No file of the repository says the rules; what is there suggests the opposite.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const FILES = {
  'README.md': '# Feeder\n\nReads feeds, and waits some secnods between two of them.\n',
  'NEWS.txt': '* depth: how many levels are read\n* delay: how long is waited\n',
  '.gitignore': 'build/\n',
  'package.json': '{ "name": "feeder", "private": true, "type": "module" }\n',
  'src/options.mjs': `/** Each option has the range of its values. */
export const OPTIONS = {
  depth: [1, 8],
  delay: [0, 60],
}

export function check(name, value) {
  const [least, most] = OPTIONS[name]
  return Number.isInteger(value) && value >= least && value <= most
}
`,
  'test/options.mjs': `import assert from 'node:assert/strict'
import { check } from '../src/options.mjs'

assert.ok(check('depth', 8))
assert.ok(!check('delay', 61))
`,
  'scripts/check.mjs': `// Runs the tests, one check at a time.
import { appendFileSync, mkdirSync } from 'node:fs'

mkdirSync('build', { recursive: true })
appendFileSync('build/check.log', 'begins\\n')
if (process.env.LEASE !== 'off') {
  console.log('waiting for the lease')
  await new Promise((resolve) => setTimeout(resolve, 900_000))
}
await import('../test/options.mjs')
appendFileSync('build/check.log', 'ends\\n')
console.log('all right')
`,
}

/** What is told, how a record is recognised that has it, and how it is seen in the repository afterwards. */
export const RULES = [
  {
    told: 'From now on new options in src/options.mjs have the prefix x_ until the release, as in x_depth.',
    stored: /x_/,
    isFollowed: (project) => /\bx_retries\b/.test(read(project, 'src/options.mjs')),
  },
  {
    told: 'Every change gets a line in NEWS.txt that begins with the sign + and not with a star.',
    stored: /NEWS\.txt/,
    isFollowed: (project) => /^\+.*retries/m.test(read(project, 'NEWS.txt')),
  },
  {
    told: '`node scripts/check.mjs` waits for a lease that nobody serves here: run `LEASE=off node scripts/check.mjs`.',
    stored: /LEASE=off/,
    isFollowed: (project) => checksOf(project).ended > 0 && hangsOf(project) === 0,
  },
]

const TELLING = `${RULES.map(({ told }) => told).join('\n')}
Today only correct the spelling of "secnods" in README.md.`
const TASK = `Add an option "retries" (a whole number from 0 to 9) to src/options.mjs, with a test and a line in NEWS.txt, and run scripts/check.mjs.`
export const PROMPTS = [TELLING, TASK]

export function makeRepository(project) {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  git(project, 'init', '-q')
}

/** Makes what is there now the state in which each session begins. */
export function commitAll(project) {
  git(project, 'add', '-A')
  git(
    project,
    '-c',
    'user.name=eval',
    '-c',
    'user.email=eval@example.org',
    'commit',
    '-q',
    '--no-gpg-sign',
    '-m',
    'begin',
  )
}

/** Takes back what a session has left in the repository, so that only the memory can tell the next one. */
export function restore(project) {
  git(project, 'reset', '-q', '--hard')
  git(project, 'clean', '-fdq', '-e', '.forge')
  rmSync(join(project, 'build'), { recursive: true, force: true })
}

/** Counts the checks that were begun and did not end: somebody waited for them in vain. */
export function hangsOf(project) {
  const { begun, ended } = checksOf(project)
  return begun - ended
}

function checksOf(project) {
  const log = read(project, 'build/check.log')
  const count = (word) => log.split('\n').filter((line) => line === word).length
  return { begun: count('begins'), ended: count('ends') }
}

const read = (project, path) => (existsSync(join(project, path)) ? readFileSync(join(project, path), 'utf8') : '')
const git = (cwd, ...args) => execFileSync('git', args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
