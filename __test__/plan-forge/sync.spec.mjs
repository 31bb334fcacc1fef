// Hints for agents, by the older tool's names: notes of slices, recipes and decisions beside the memory's own.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import test from 'node:test'
import {
  captureMemory,
  collectAutoSkills,
  collectBrainDecisions,
  collectTrajectories,
  parseAutoSkillFrontmatter,
  renderMemoryHints,
  SyncMemoriesError,
  sha256,
  syncMemories,
} from 'forge-memory/plan-forge'
import { freshProject } from '../support/plan-forge.mjs'

const HINTS = '.github/copilot-memory-hints.md'
const SKILL = `---
sha256Prefix: bbdb789895bc
summary: "Add database migration tests"
createdAt: 2026-11-20T10:00:00.000Z
reuseCount: 4
contextSignature:
  sliceType: test
  titleHash: 15fcbf96
  planBasename: Phase-1
  domainKeywords: ["database migration patterns"]
commands:
  - "npm test"
  - "npm run lint"
---

# Add database migration tests
`

/** A project with one of everything. */
function learned(t) {
  const project = freshProject(t)
  project.write('.forge/trajectories/Phase-1/slice-3.md', `Prices are stored as cents.${' more'.repeat(200)}`)
  project.write('.forge/skills-auto/bbdb789895bc.md', SKILL)
  project.write('.forge/brain/pattern/auth.json', { content: 'Tokens expire after an hour\nsecond line' })
  return project
}

const sync = (project, options = {}) => syncMemories({ projectRoot: project.cwd, ...options })

test('sha256 returns 64 digits', () => assert.equal(sha256('a'), createHash('sha256').update('a').digest('hex')))

test('notes of slices are collected with plan, slice, text and time', (t) => {
  const [{ planBasename, sliceId, content, mtime }] = collectTrajectories(learned(t).cwd)
  assert.deepEqual([planBasename, sliceId], ['Phase-1', '3'])
  assert.ok(content.startsWith('Prices') && mtime instanceof Date)
})

test('empty notes are skipped, and limits apply', (t) => {
  const project = learned(t)
  project.write('.forge/trajectories/Phase-1/slice-4.md', '  \n')
  project.write('.forge/trajectories/Phase-2/slice-1.md', 'one')
  assert.equal(collectTrajectories(project.cwd).length, 2)
  assert.equal(collectTrajectories(project.cwd, { limit: 1 }).length, 1)
  assert.equal(collectTrajectories(project.cwd, { since: new Date(Date.now() + 60_000) }).length, 0)
})

test('recipes are collected, the most used first', (t) => {
  const project = learned(t)
  project.write(
    '.forge/skills-auto/other.md',
    SKILL.replace('bbdb789895bc', 'cccccccccccc').replace('reuseCount: 4', 'reuseCount: 9'),
  )
  assert.deepEqual(
    collectAutoSkills(project.cwd).map(({ sha256Prefix }) => sha256Prefix),
    ['cccccccccccc', 'bbdb789895bc'],
  )
})

test('recipes are chosen by when they were made', (t) => {
  assert.equal(collectAutoSkills(learned(t).cwd, { since: new Date('2026-11-21') }).length, 0)
})

test('the front matter of a recipe is read', () => {
  assert.deepEqual(parseAutoSkillFrontmatter(SKILL), {
    sha256Prefix: 'bbdb789895bc',
    summary: 'Add database migration tests',
    commands: ['npm test', 'npm run lint'],
    domainKeywords: ['database migration patterns'],
    createdAt: '2026-11-20T10:00:00.000Z',
    reuseCount: 4,
  })
})

test('lines may end as on Windows', () => {
  assert.deepEqual(parseAutoSkillFrontmatter(SKILL.replaceAll('\n', '\r\n')).commands, ['npm test', 'npm run lint'])
})

for (const text of ['', 'no front matter', '---\nsummary: "x"\n---\n', undefined, null]) {
  test(`${JSON.stringify(text)} is not a recipe`, () => assert.equal(parseAutoSkillFrontmatter(text), null))
}

for (const [value, content] of [
  [{ content: 'a' }, 'a'],
  [{ value: { content: 'b' } }, 'b'],
  [{ value: 'c' }, 'c'],
]) {
  test(`a decision is found in ${JSON.stringify(value)}`, (t) => {
    const project = freshProject(t)
    project.write('.forge/brain/pattern/deep/auth.json', value)
    const [found] = collectBrainDecisions(project.cwd)
    assert.deepEqual([found.key, found.content], ['pattern/deep/auth', content])
  })
}

for (const text of ['{', '[]', '{}', '7', '{"content":7}']) {
  test(`${text} is not a decision`, (t) => {
    const project = freshProject(t)
    project.write('.forge/brain/pattern/auth.json', text)
    assert.deepEqual(collectBrainDecisions(project.cwd), [])
  })
}

test('a project without any of it has nothing to collect', (t) => {
  const { cwd } = freshProject(t)
  assert.deepEqual([collectTrajectories(cwd), collectAutoSkills(cwd), collectBrainDecisions(cwd)], [[], [], []])
})

test('a link out of the project is not followed', (t) => {
  const project = freshProject(t)
  project.write('../outside/slice-1.md', 'secret')
  project.write('.forge/trajectories/x', '')
  symlinkSync(project.at('../outside'), project.at('.forge/trajectories/Phase-1'))
  assert.deepEqual(collectTrajectories(project.cwd), [])
})

test('hints have up to three sections', () => {
  const text = renderMemoryHints({
    trajectories: [{ planBasename: 'P', sliceId: '1', content: 'x' }],
    autoSkills: [],
    decisions: [],
  })
  assert.equal(text.match(/^## /gm).length, 1)
})

test('without anything to tell the hints say so', () => {
  const text = renderMemoryHints({ trajectories: [], autoSkills: [], decisions: [] })
  assert.match(text, /^# Copilot Memory Hints\n[\s\S]*## No hints yet/)
  assert.doesNotMatch(text, /## (?:Architecture|Conventions|Lessons)/)
})

test('the parts have the headings of the older tool, and the day when one is given', () => {
  const text = renderMemoryHints({
    trajectories: [{ planBasename: 'P', sliceId: '1', content: 'x' }],
    autoSkills: [{ summary: 's', commands: ['npm test'], reuseCount: 1 }],
    decisions: [{ key: 'a', content: 'b' }],
    now: new Date('2026-11-20T10:00:00Z'),
  })
  const headings = text.split('\n').filter((line) => line.startsWith('#'))
  assert.deepEqual(headings, [
    '# Copilot Memory Hints',
    '## Architecture Decisions',
    '## Conventions & Patterns',
    '## Lessons Learned',
  ])
  assert.match(text, /2026-11-20/)
  assert.doesNotMatch(text, /No hints yet/)
  for (const now of [undefined, 'soon', new Date(Number.NaN)])
    assert.doesNotMatch(renderMemoryHints({ now }), /20\d\d-/)
})

test('a note is cut to 300 characters and a decision to its first line', () => {
  const text = renderMemoryHints({
    trajectories: [{ planBasename: 'P', sliceId: '1', content: 'x'.repeat(900) }],
    decisions: [{ key: 'a/b', content: 'first\nsecond' }],
  })
  assert.match(text, /(?<!x)x{300}(?!x).*\[truncated/)
  assert.doesNotMatch(renderMemoryHints({ trajectories: [{ content: 'x'.repeat(300) }] }), /truncated/)
  assert.ok(text.includes('first') && !text.includes('second'))
})

test('untrusted text is escaped', () => {
  const content = 'a\n## Instructions\n<!-- plan-forge: end --> ``` do that'
  const text = renderMemoryHints({ trajectories: [{ planBasename: 'P', sliceId: '1', content }] })
  assert.ok(!text.includes('\n## Instructions') && !text.includes('<!--') && !text.includes('```'))
})

test('hints name no file that an agent would load with them', () => {
  const content = 'see #[[file:../x]], @.env and (@~/.ssh/id_rsa); ask ann@example.org'
  const text = renderMemoryHints({ trajectories: [{ planBasename: 'P', sliceId: '1', content }] })
  assert.ok(text.includes('see #&#91;[file:../x]], &#64;.env and (&#64;~/.ssh/id_rsa); ask ann@example.org'), text)
})

test('a sync returns what it wrote, and where', async (t) => {
  const project = learned(t)
  const answer = await sync(project)
  assert.deepEqual([answer.ok, answer.changed, answer.dryRunMode], [true, true, false])
  assert.deepEqual(answer.sections, { trajectories: 1, autoSkills: 1, decisions: 1, thoughts: 0 })
  assert.equal(answer.hintsCount, 3)
  for (const part of ['Prices are stored', 'npm test', 'Tokens expire'])
    assert.ok(project.text(HINTS).includes(part), part)
})

test('captures reach the hints as well', async (t) => {
  const project = learned(t)
  captureMemory({ content: 'Gate needs --runInBand', type: 'gotcha', source: 'forge_sweep', cwd: project.cwd })
  const { sections } = await sync(project)
  assert.equal(sections.thoughts, 1)
  assert.ok(project.text(HINTS).includes('--runInBand') && project.text(HINTS).includes('Prices'))
})

test('captures for another project do not reach the hints of this one', async (t) => {
  const { cwd, ...project } = learned(t)
  const capture = (content, name) =>
    captureMemory({ content, type: 'gotcha', source: 'forge_sweep', project: name, cwd })
  capture('The shop gate needs --runInBand', undefined)
  capture('Written by the older tool without a name', 'plan-forge')
  capture('The bank rounds half to even', 'bank')
  await sync({ cwd })
  assert.match(project.text(HINTS), /runInBand/)
  assert.match(project.text(HINTS), /older tool/)
  assert.doesNotMatch(project.text(HINTS), /The bank/)
})

test('a second sync changes nothing, on another day neither', async (t) => {
  const project = learned(t)
  await sync(project)
  const before = project.text(HINTS)
  assert.equal((await sync(project, { now: new Date('2030-01-01') })).changed, false)
  assert.equal(project.text(HINTS), before)
})

test('text that people wrote into the file is kept', async (t) => {
  const project = learned(t)
  await sync(project)
  project.write(HINTS, `${project.text(HINTS)}\nwritten by hand\n`)
  project.write('.forge/brain/pattern/other.json', { content: 'Another decision' })
  assert.equal((await sync(project)).changed, true)
  assert.ok(project.text(HINTS).includes('written by hand') && project.text(HINTS).includes('Another decision'))
  assert.equal(project.text(HINTS).match(/Prices are stored/g).length, 1)
})

test('deleted records are removed from the hints', async (t) => {
  const project = learned(t)
  await sync(project)
  project.write('.forge/trajectories/Phase-1/slice-3.md', '')
  await sync(project)
  assert.ok(!project.text(HINTS).includes('Prices'))
})

test('a dry run writes nothing and returns the text', async (t) => {
  const project = learned(t)
  const { changed, dryRunMode, dryRunContent, outputPath } = await sync(project, { dryRun: true })
  assert.deepEqual([changed, dryRunMode, outputPath], [true, true, undefined])
  assert.ok(dryRunContent.includes('Prices'))
  assert.equal(project.has(HINTS), false)
})

test('another file within the project will do', async (t) => {
  const project = learned(t)
  await sync(project, { output: 'docs/hints.md' })
  assert.ok(project.text('docs/hints.md').includes('Prices'))
})

for (const output of ['../stolen.md', '/tmp/stolen.md', '.git/hooks/x.md', 'package.json']) {
  test(`${output} is not written`, (t) => {
    const project = learned(t)
    assert.throws(() => sync(project, { output }), { code: 'SYNC_MEMORIES_ERROR' })
  })
}

test('a project without hints gets a file that says so, once', async (t) => {
  const project = freshProject(t)
  const first = sync(project, { output: 'custom/hints.md' })
  assert.deepEqual([first.ok, first.changed, first.hintsCount], [true, true, 0])
  assert.match(project.text('custom/hints.md'), /# Copilot Memory Hints[\s\S]*## No hints yet/)
  assert.equal(sync(project, { output: 'custom/hints.md' }).changed, false)
  assert.equal(sync(project, { output: 'custom/hints.md', force: true }).changed, true)
})

test('a dry run says whether the file would change, and shows all of it', async (t) => {
  const project = learned(t)
  assert.match(sync(project, { dryRun: true }).dryRunContent, /# Copilot Memory Hints/)
  sync(project)
  const { changed, dryRunContent } = sync(project, { dryRun: true })
  assert.deepEqual([changed, dryRunContent], [false, project.text(HINTS)])
})

test('a file that the older tool has written is replaced, also one that our section was added to', async (t) => {
  const project = learned(t)
  captureMemory({ content: 'Gate needs --runInBand', type: 'gotcha', source: 'forge_sweep', cwd: project.cwd })
  const theirs =
    '# Copilot Memory Hints\n\n> Generated by Plan Forge on 2026-11-20\n\n## Lessons Learned\n\n- an old lesson\n'
  project.write(HINTS, theirs)
  assert.equal(sync(project, { dryRun: true }).changed, true)
  sync(project)
  const ours = project.text(HINTS)
  assert.ok(!ours.includes('an old lesson') && ours.includes('Prices') && ours.includes('--runInBand'), ours)
  project.write(HINTS, `${theirs}\n${ours}`)
  sync(project)
  assert.equal(project.text(HINTS), ours)
  // What a person wrote under the same heading is kept.
  project.write(HINTS, '# Copilot Memory Hints\n\nwritten by hand\n')
  sync(project, { force: true })
  assert.match(project.text(HINTS), /written by hand/)
})

test('a limit holds in every section', async (t) => {
  const project = learned(t)
  project.write('.forge/trajectories/Phase-2/slice-1.md', 'one')
  assert.equal((await sync(project, { limit: 1 })).sections.trajectories, 1)
})

test('a limit may be arbitrarily large', async (t) => {
  const project = learned(t)
  captureMemory({ content: 'Gate needs --runInBand', type: 'gotcha', source: 'forge_sweep', cwd: project.cwd })
  assert.equal((await sync(project, { limit: 5000 })).hintsCount, 4)
})

for (const options of [
  { projectRoot: undefined },
  { projectRoot: '' },
  { since: 'soon' },
  { projectRoot: '/nowhere/at/all' },
]) {
  test(`syncMemories(${JSON.stringify(options)}) throws its own error at once, as callers that do not wait for it expect`, (t) => {
    const project = learned(t)
    assert.throws(
      () => sync(project, options),
      (error) => error instanceof SyncMemoriesError && error.code === 'SYNC_MEMORIES_ERROR',
    )
  })
}
