// Every command of the documentation is typed, in the order of its page, and prints what the page shows.
import assert from 'node:assert/strict'
import test from 'node:test'
import { readPages } from './support/pages.mjs'
import { freshStage, plain, stepsOf, typed, typePage } from './support/typed-pages.mjs'

/** The commands that no test can type, each with the reason. */
const NOT_TYPED = [
  [
    /^npm (start|link|run|test)\b/,
    'builds this checkout, measures it or changes the machine: .ci/run and npm test run it',
  ],
  [
    /^node (scripts|--test)\b|^FORGE_TEST_SOAK_SECONDS=/,
    'a tool of this checkout that takes minutes or another checkout',
  ],
  [/^npm install\b/, 'asks a registry: install.spec.mjs installs the packed packages from a registry of its own'],
  [/^(rustup|pip) /, 'downloads a compiler'],
  [/^(podman|buildah|docker) /, 'needs a container engine'],
  [
    /^sudo |^createdb |^db |^pg_(dump|restore) |\bpsql\b/,
    'administers a PostgreSQL server of another host: store-command.spec.mjs runs the SQL',
  ],
  [/^for shard|^done$|^shard=/, 'creates 64 databases on a PostgreSQL server'],
  [/^forge-memory store (init|use|check|retain)\b/, 'connects to a PostgreSQL server: store-command.spec.mjs types it'],
  [/^\(umask 077;/, 'would put a file into the folder of the tests: openbrain-settings.spec.mjs writes one'],
  [
    /^forge-memory model (install|use)\b/,
    'downloads a model: models.spec.mjs and model-install.spec.mjs install one from this machine',
  ],
  [/^forge-memory embed$/, 'needs an installed model: embed.spec.mjs and models.spec.mjs have one'],
  [/^forge-memory init( --agent claude| --remove)?$/, 'asks on a terminal: init-terminal.spec.mjs answers'],
  [/^forge-memory trust --folder$/, 'needs a folder of another owner: place-owners.spec.mjs has one'],
  [/^forge-memory .* --as person$/, 'needs a person on a terminal: who-speaks.spec.mjs has one'],
  [/^forge-memory find --explain$/, 'is the name of an option'],
  [/^forge-memory history forget SESSION$/, 'SESSION is an id of your own: history.spec.mjs forgets one'],
  [/^forge-memory ralph \$ARGUMENTS$/, 'a host puts the arguments there'],
  [/^forge-memory watch\b/, 'shows what happens while it runs: watch-command.spec.mjs makes something happen'],
]
const reasonFor = ({ typed, printed }) =>
  printed === undefined ? NOT_TYPED.find(([form]) => form.test(typed)) : undefined

/** What their content makes another kind of page: each is written by a program, or is one table. */
const WITHOUT_EXAMPLE = /^docs\/(reference\/.*|rooms|seeds|windows-macos)\.md$/

// What the packages for other agents hold is written from `skills/`.
const pages = readPages().filter(({ path }) => path !== 'CHANGELOG.md' && !path.startsWith('packages/'))

test('every page begins with an example', () => {
  const without = pages.filter(({ path, blocks, headings }) => {
    if (!path.startsWith('docs/') || WITHOUT_EXAMPLE.test(path)) return false
    const second = headings.filter(({ level }) => level === 2)[1]?.line ?? Number.POSITIVE_INFINITY
    return !blocks.some(({ line, language }) => line < second && language !== 'mermaid')
  })
  assert.deepEqual(
    without.map(({ path }) => path),
    [],
  )
})

/** What is longer is a table or a detail for the reference. */
const LINES_MAX = 160

test('a page is a page: what is longer is in the reference', () => {
  const guides = pages.filter(({ path }) => path.startsWith('docs/') && !WITHOUT_EXAMPLE.test(path))
  const lengths = guides.map(({ path, lines, blocks }) => {
    const shown = blocks.reduce((sum, block) => sum + block.lines.length + 1, 0)
    return { path, length: lines.length + shown }
  })
  assert.ok(lengths.length > 15)
  assert.deepEqual(
    lengths.filter(({ length }) => length > LINES_MAX),
    [],
  )
})

/** Words that this project uses in a sense of its own. */
const OWN_WORDS = /\b(retired|drain|dead letter|hallmark|unstamped|tombstone|lattice|chunk|anvil|Al)\b/gi

test('a word of our own is explained where a stranger reads first, and the first page does without', () => {
  const explained = pages.find(({ path }) => path === 'docs/getting-started.md').lines
  const table = explained.filter(({ text }) => text.startsWith('| ')).map(({ text }) => text)
  const words = new Set(table.flatMap((row) => row.match(OWN_WORDS) ?? []).map((word) => word.toLowerCase()))
  assert.equal(words.size, 10, [...words].join())
  const readme = pages.find(({ path }) => path === 'README.md')
  const said = readme.lines.flatMap(({ text }) => text.replace(/\]\([^)]*\)/g, '').match(OWN_WORDS) ?? [])
  assert.deepEqual(
    said.filter((word) => word.toLowerCase() !== 'retired'),
    [],
  )
})

/** A command in running text that can be typed as it stands: with more than its name, and without a placeholder. */
const WHOLE = /`(forge-memory [^`\s]+ [^`]+)`/g
const PLACEHOLDER = /[A-Z]{2,}|\[|\||\$|\.\.\./

const inText = pages
  .flatMap(({ lines }) => lines.flatMap(({ text }) => Array.from(text.matchAll(WHOLE), ([, command]) => command)))
  .filter((command) => !PLACEHOLDER.test(command))

test('a command in running text does what it is named for', async (t) => {
  const commands = [...new Set(inText)].filter((typed) => reasonFor({ typed }) === undefined)
  assert.ok(commands.length >= 15, commands.join('\n'))
  const stage = freshStage(t)
  await typed('forge-memory add -t gotcha "Jest needs --runInBand"', stage)
  for (const command of commands) {
    const { status, output } = await typed(command, stage)
    assert.equal(status, 0, `${command}\n${output}`)
  }
})

test('every reason why a command is not typed is one for a command', () => {
  const steps = [...pages.flatMap(stepsOf), ...inText.map((typed) => ({ typed }))]
  for (const [form, why] of NOT_TYPED) {
    assert.ok(
      steps.some(({ typed }) => form.test(typed)),
      `${form}: ${why}`,
    )
  }
})

for (const page of pages) {
  const steps = stepsOf(page).filter((step) => reasonFor(step) === undefined)
  if (steps.length === 0) continue
  test(`the commands of ${page.path} print what it shows`, async (t) => {
    const done = await typePage(page, freshStage(t), (step) => reasonFor(step) !== undefined)
    assert.equal(done.length, steps.length)
    for (const { place, typed, printed, shown, status } of done) {
      if (printed !== undefined) assert.equal(plain(shown), plain(printed.join('\n')), `${place}: ${typed}`)
      else assert.equal(status, 0, `${place}: ${typed}\n${shown}`)
    }
  })
}
