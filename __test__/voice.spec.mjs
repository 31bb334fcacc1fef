// Rows of the judge times doors: what a person said or vouched for, only a person retires, through whichever door others come.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import * as library from '../dist/index.js'
import * as internal from '../dist/internal.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { readLines } from './support/project.mjs'
import { hasTerminal, onTerminal } from './support/terminal.mjs'

const SIGNED = 'Releases are signed by Alice'
const ANN = { author: 'person', session: 'person:ann', door: 'cli' }
const OTHERS = [
  { author: 'agent', session: 'mcp:1', door: 'mcp' },
  { author: 'import', session: 'import:x', door: 'import' },
  { author: 'watcher', door: 'watcher' },
  { author: 'script', door: 'cli' },
]

function project(t, settings = {}) {
  const command = freshCommand(t)
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify(settings))
  useHome(t, command.home)
  return { ...command, options: { projectDir: command.project } }
}

const said = (options, body, by, more = {}) =>
  library.captureMemory({ type: 'decision', body, ...more }, { ...options, ...by })

const stateOf = (id, options) => library.showMemory(id, { ...options, includeProposed: true }).state

function lineOf(id, at) {
  return JSON.stringify({
    _v: 1,
    id: `mem_${'b'.repeat(30)}${String(at).padStart(2, '0')}`,
    content: `Releases are signed by Mallory ${at}`,
    project: 'p',
    type: 'decision',
    source: 'you',
    author: 'person',
    captured_at: '2026-11-28T00:00:00.000Z',
    tags: [],
    confidence: 0.9,
    supersedes: id,
  })
}

let lines = 0

/** The rows: what others do to a memory, by door. */
const ROWS = {
  'capture in its place': (id, by, options) => said(options, 'Releases are signed by Bob', by, { supersedes: id }),
  'replace by another': (id, by, options) => {
    const other = said(options, 'Releases are signed by Carol', by).id
    return library.replaceMemory({ old: id, by: other }, { ...options, ...by })
  },
  'replace by none': (id, by, options) => library.replaceMemory({ old: id }, { ...options, ...by }),
  forget: (id, by, options) => library.forget(id, { ...options, ...by }),
  edit: (id, by, options) => library.editMemory(id, { body: 'Releases are signed by Dave' }, { ...options, ...by }),
  'a proposal in its place': (id, by, options) =>
    said(options, 'Releases are signed by Eve', { ...by, propose: true }, { supersedes: id }),
  'a proposal that they accept': (id, by, options) => {
    const { id: proposal } = said(options, 'Releases are signed by Frank', { ...by, propose: true }, { supersedes: id })
    return library.acceptMemory(proposal, { ...options, ...by })
  },
  'a proposal that a person says again': (id, by, options) => {
    said(options, 'Releases are signed by Grace', { ...by, propose: true }, { supersedes: id })
    return said(options, 'Releases are signed by Grace', ANN)
  },
  import: (id, by, options) => {
    const path = join(options.projectDir, 'hostile.jsonl')
    writeFileSync(path, `${lineOf(id, ++lines)}\n`)
    return library.importMemory(path, { ...options, sourceProject: '*', author: by.author })
  },
  'import from a store': (id, by, options) => {
    const rulings = ['retire', 'reject'].map((_action) =>
      JSON.stringify({ _v: 1, _action, id, by: 'person.0123456789abcdef', at: '2030-01-01T00:00:00.000Z' }),
    )
    const text = [lineOf(id, ++lines), ...rulings].join('\n')
    return internal.importShared(text, { ...options, sourceProject: '*', author: by.author })
  },
  reject: (id, by, options) => library.rejectMemory(id, { ...options, ...by }),
}

/** How a memory becomes a person's. */
const VOUCHED = {
  'said by a person': (options) => said(options, SIGNED, ANN).id,
  'confirmed by a person': (options) => {
    said(options, SIGNED, OTHERS[0])
    return said(options, SIGNED, ANN).id
  },
  'accepted by a person': (options) => {
    const { id } = said(options, SIGNED, { ...OTHERS[0], propose: true })
    return library.acceptMemory(id, { ...options, ...ANN }).id
  },
  'found useful by a person': (options) => {
    const { id } = said(options, SIGNED, { ...OTHERS[0], propose: false })
    library.acceptMemory(id, { ...options, ...ANN })
    return library.rateMemory(id, 'useful', { ...options, ...ANN }).id
  },
  'edited by a person': (options) => {
    const { id } = said(options, 'Releases are signed', { ...OTHERS[0], propose: false })
    return library.editMemory(id, { body: SIGNED }, { ...options, ...ANN }).id
  },
}

for (const settings of [{}, { review: 'agents' }]) {
  for (const [whose, vouch] of Object.entries(VOUCHED)) {
    test(`what is ${whose} no other retires, with ${JSON.stringify(settings)}`, (t) => {
      const { options } = project(t, settings)
      const id = vouch(options)
      assert.equal(stateOf(id, options), 'current')
      for (const [row, act] of Object.entries(ROWS)) {
        for (const by of OTHERS) {
          try {
            act(id, by, options)
          } catch (error) {
            assert.ok(['PROPOSED', 'INVALID_INPUT', 'UNSUPPORTED'].includes(error.code), `${row}: ${error}`)
          }
          assert.equal(stateOf(id, options), 'current', `${row} by ${by.author}`)
        }
      }
    })
  }
}

const BOT = OTHERS[0]
const LATER = 'Releases are signed by the build server'

/** How a person ends what an agent said: who holds it against the record, if anybody. */
const ENDED = {
  'forgets it': (id, options) => library.forget(id, { ...options, ...ANN }),
  'says that it is out of date': (id, options) => library.replaceMemory({ old: id }, { ...options, ...ANN }),
  'replaces it': (id, options) =>
    library.replaceMemory({ old: id, by: said(options, LATER, BOT).id }, { ...options, ...ANN }),
  'edits it': (id, options) => library.editMemory(id, { body: LATER }, { ...options, ...ANN }),
  'names it as replaced': (id, options) => said(options, LATER, ANN, { supersedes: id }),
}

/** How others bring it back. */
const BACK = {
  keep: (id, by, options) => library.keepMemory(id, { ...options, ...by }),
  'the same words': (_, by, options) => said(options, SIGNED, by),
  'the same words, twice': (_, by, options) => [1, 2].map(() => said(options, SIGNED, by)),
  'the same words of a caller who names no author': (_, __, options) => said(options, SIGNED, {}),
  'the same words as a thought': (_, __, options) =>
    library.captureThought({ type: 'decision', content: SIGNED }, options),
  'the same words in a file': (id, by, options) => {
    const source = join(options.projectDir, 'said.jsonl')
    const record = {
      _v: 1,
      id: `mem_${'c'.repeat(32)}`,
      content: SIGNED,
      type: 'decision',
      project: projectOf(id, options),
    }
    writeFileSync(source, `${JSON.stringify({ ...record, source: 'x', captured_at: new Date().toISOString() })}\n`)
    return library.importMemory(source, { ...options, author: by.author })
  },
  'as what replaces another': (id, by, options) => {
    const other = said(options, 'Nobody signs a release', by).id
    return library.replaceMemory({ old: other, by: id }, { ...options, ...by })
  },
}

const projectOf = (id, options) => library.showMemory(id, { ...options, includeProposed: true }).entry.project

const currentTexts = (options) => library.listMemories(options).entries.map(({ text }) => text)

for (const [how, end] of Object.entries(ENDED)) {
  test(`what a person ended who ${how} comes back by the leave of a person alone`, (t) => {
    const { options } = project(t)
    const { id } = said(options, SIGNED, BOT)
    end(id, options)
    assert.ok(!currentTexts(options).includes(SIGNED))
    for (const [row, act] of Object.entries(BACK)) {
      for (const by of OTHERS) {
        try {
          act(id, by, options)
        } catch (error) {
          assert.ok(['PROPOSED', 'NOT_FOUND', 'INVALID_INPUT'].includes(error.code), `${row}: ${error}`)
        }
        assert.ok(!currentTexts(options).includes(SIGNED), `${row} by ${by.author}`)
      }
    }
    const waiting = library.listReview(options)
    assert.ok(waiting.length > 0, 'a person is asked')
    library.keepMemory(id, { ...options, ...ANN })
    assert.ok(currentTexts(options).includes(SIGNED))
  })
}

test('what an agent ended, an agent brings back', (t) => {
  const { options } = project(t)
  const by = { ...options, ...BOT }
  const ways = {
    forget: (id) => library.forget(id, by),
    replace: (id) => library.replaceMemory({ old: id }, by),
    edit: (id) => library.editMemory(id, { body: LATER }, by),
  }
  for (const end of Object.values(ways)) {
    const { id } = said(options, SIGNED, BOT)
    end(id)
    assert.ok(!currentTexts(options).includes(SIGNED))
    const kept = library.keepMemory(id, by)
    assert.equal(kept.kept, true)
    assert.equal(library.showMemory(kept.id, options).entry.author, 'agent')
    library.forget(kept.id, by)
  }
  assert.equal(said(options, SIGNED, BOT).review, undefined)
  assert.deepEqual(library.listReview(options), [])
})

test('who names no author decides nothing about what waits', (t) => {
  const { options } = project(t, { review: 'agents' })
  const { id } = said(options, SIGNED, BOT).thought
  const refused = { code: 'INVALID_INPUT', message: /only a person/ }
  for (const decide of [library.rejectMemory, library.acceptMemory]) assert.throws(() => decide(id, options), refused)
  library.rejectMemory(id, { ...options, author: 'person' })
  assert.throws(() => library.reopenMemory(id, options), refused)
  assert.throws(() => library.keepMemory(id, { ...options, ...ANN }), /was rejected: accept it instead/)
})

test('the same words wait for the reason that they are told with, and a person accepts them', (t) => {
  const command = project(t)
  const { options } = command
  library.forget(said(options, SIGNED, BOT).id, { ...options, ...ANN })
  const again = said(options, SIGNED, BOT)
  assert.equal(again.review, 'proposed')
  assert.match(again.waitsBecause, /^a person has forgotten, replaced or edited the same text \(mem_/)
  const told = command.run(['add', '-t', 'decision', SIGNED], { env: { FORGE_AS: '' } }).stdout
  assert.match(told, /It waits because a person has forgotten, replaced or edited the same text/)
  library.acceptMemory(again.id, { ...options, ...ANN })
  assert.deepEqual(currentTexts(options), [SIGNED])
  assert.equal(said(options, SIGNED, BOT).deduped, true, 'it is a person\u2019s now')
})

test('a conflict with a side of a person is held by a person alone', (t) => {
  const { options } = project(t)
  const { id: older } = said(options, 'The API listens on port 8080', ANN)
  const { id: newer } = said(options, 'The API listens on port 9090', BOT)
  assert.equal(library.listConflicts(options).length, 1)
  const both = { id: older, with: newer, holds: 'both' }
  for (const by of OTHERS) {
    assert.throws(() => library.resolveConflict(both, { ...options, ...by }), { code: 'PROPOSED' }, by.author)
    assert.equal(library.listConflicts(options).length, 1, by.author)
  }
  const [{ id: request }] = library.listReview(options)
  library.acceptMemory(request, { ...options, ...ANN })
  assert.deepEqual(library.listConflicts(options), [])
})

/** The functions of the library that change a record and take an author. */
const CALLS = {
  forget: (id, options) => library.forget(id, options),
  editMemory: (id, options) => library.editMemory(id, { body: LATER }, options),
  replaceMemory: (id, options) => library.replaceMemory({ old: id }, options),
  resolveConflict: (id, options, other) => library.resolveConflict({ id, with: other, holds: 'newer' }, options),
  keepMemory: (_, options, other) => {
    library.replaceMemory({ old: other }, { ...options, ...ANN })
    library.keepMemory(other, options)
  },
}

test('a caller of the library who names no author is an agent, in every function', (t) => {
  for (const [name, act] of Object.entries(CALLS)) {
    const { options } = project(t)
    const { id } = said(options, 'The API listens on port 8080', ANN)
    const { id: other } = said(options, 'The API listens on port 9090', BOT)
    assert.throws(() => act(id, options, other), { code: /^(PROPOSED|INVALID_INPUT)$/ }, name)
    assert.equal(stateOf(id, options), 'current', name)
  }
  const { options, project: folder } = project(t)
  const { id } = library.captureMemory({ type: 'lesson', body: SIGNED }, options)
  const edited = library.editMemory(id, { body: LATER }, options)
  library.rateMemory(edited.id, 'elsewhere', { ...options, at: 'src/a.ts' })
  library.forget(edited.id, options)
  const speakers = readLines(join(folder, '.forge', 'memory-captures.jsonl')).map((line) => line.said)
  assert.deepEqual([...new Set(speakers.map((one) => one.split('/').slice(0, 2).join('/')))], ['agent/api'])
})

test('what a file says of a person is told as an import', (t) => {
  const { options, ...command } = project(t)
  const path = join(command.folder, 'theirs.jsonl')
  writeFileSync(path, `${lineOf('mem_none', ++lines)}\n`)
  library.importMemory(path, { ...options, sourceProject: '*', author: 'person' })
  const [{ source, author }] = library.listMemories(options).entries
  assert.match(source, /^import\//)
  assert.equal(author, 'import')
  for (const args of [['list'], ['find', 'signed by Mallory']])
    assert.doesNotMatch(command.run(args).stdout, /\byou\b/, args[0])
})

test('every line of the log says who said it', (t) => {
  const { options, project: folder } = project(t)
  const { id } = said(options, SIGNED, OTHERS[0])
  library.rateMemory(id, 'useful', { ...options, ...OTHERS[0] })
  library.replaceMemory({ old: id }, { ...options, ...ANN })
  library.keepMemory(id, { ...options, ...ANN })
  library.forget(id, { ...options, ...ANN })
  const log = readLines(join(folder, '.forge', 'memory-captures.jsonl'))
  assert.deepEqual(
    log.map((line) => [line._action ?? 'record', line.said.split('/').slice(0, 2).join('/')]),
    [
      ['record', 'agent/mcp'],
      ['useful', 'agent/mcp'],
      ['retire', 'person/cli'],
      ['keep', 'person/cli'],
      ['delete', 'person/cli'],
    ],
  )
})

test('an acceptance that retires ten memories says so, asks twice, and one undo brings all back', {
  skip: hasTerminal ? false : 'needs a terminal',
}, (t) => {
  const command = project(t, { review: 'agents' })
  const { options } = command
  const ids = Array.from({ length: 10 }, (_, at) => said(options, `Rule ${at} of team ${at * 7}`, ANN).id)
  const { id } = said(options, 'All rules are new', { ...OTHERS[0] }, { supersedes: ids })
  const [waiting] = json(command, ['review', '--list']).waiting
  assert.deepEqual(waiting.retires.map((one) => one.id).sort(), [...ids].sort())
  assert.ok(waiting.retires.every((one) => one.ofPerson && one.text.startsWith('Rule ')))
  assert.match(command.run(['review', '--list']).stdout, /accepting it retires what a person said: Rule 3 of team 21/)
  const refused = onTerminal(command, ['review', '--accept', id])
  assert.match(refused.screen, /retiresPersons/)
  onTerminal(command, ['review', '--accept', id, '--retires-persons'])
  assert.ok(ids.every((one) => stateOf(one, options) === 'retired'))
  onTerminal(command, ['undo'])
  assert.ok(ids.every((one) => stateOf(one, options) === 'current'))
  assert.equal(stateOf(id, options), 'proposed')
})
