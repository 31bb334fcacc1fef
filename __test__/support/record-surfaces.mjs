// What every surface shows of one record: a table of surfaces, each with the facts that it can show, read from what it has printed or answered.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from '../../dist/server/index.js'
import { noteFor } from './command.mjs'
import { call, connectWithin } from './mcp.mjs'
import { callerOf } from './served.mjs'

const RUNNER = fileURLToPath(new URL('children/commands.mjs', import.meta.url))
export const FILE = 'src/gate.ts'
/** The record that is looked for. */
export const TEXT = `The zebra gateway of ${FILE} listens on port 8001`

/** Runs command lines one after the other in one process; returns what each has printed. */
export async function commands({ project, env }, lines, more = {}) {
  const child = spawn(process.execPath, [RUNNER, JSON.stringify(lines)], { cwd: project, env: env(more) })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (said[name] += text))
  await new Promise((resolve) => child.on('close', resolve))
  const printed = said.stdout.split(/\0\d+\0/).slice(1)
  assert.equal(printed.length, lines.length, said.stderr)
  return printed
}

/** The signs of each mark in a text, and in a document. */
export const MARKS = {
  gone: [/\[gone: /, (hit) => hit.freshness?.state === 'gone'],
  renamed: [/\[renamed: /, (hit) => hit.freshness?.state === 'renamed'],
  changed: [/\[changed: /, (hit) => hit.freshness?.state === 'changed'],
  contradicted: [/contradicted/, (hit) => (hit.contradictedBy ?? []).length > 0],
  over: [/says that it is over/, (hit) => hit.over === true],
  weak: [/weak match/, (hit) => hit.weak === true],
  vouched: [/vouched/, (hit) => hit.vouched === true],
  foreign: [/\b(about|from) \S/, (hit) => hit.about !== undefined || hit.from !== undefined],
  claimed: [/claims to be by/, (hit) => hit.claimedBy !== undefined],
}
const FRESHNESS = ['gone', 'renamed', 'changed']
const FOUND = [...FRESHNESS, 'contradicted', 'over', 'weak', 'foreign']
/** Hooks ask with words of their own, and leave out what is about another project. */
const NOTED = FOUND.filter((mark) => !['weak', 'foreign'].includes(mark))
/** In a list, files are not looked at, and nothing was asked. */
const LISTED = ['contradicted', 'foreign']
const SHARED = ['contradicted', 'over', 'weak', 'claimed']
/** Where a speaker is named, it is said that a person has vouched for it. */
const SHOWN = [...LISTED, 'vouched', 'claimed']

/** The facts of a text that shows records: the part about this one is the block, or the line, with its text. */
function inText(text, marks, between = '\n', more = () => ({})) {
  const block = text.split(between).find((part) => part.includes(TEXT))
  if (block === undefined) return { holds: false }
  return { holds: true, ...Object.fromEntries(marks.map((mark) => [mark, MARKS[mark][0].test(block)])), ...more(block) }
}

/** The facts of a document that lists records. */
function inList(list, marks, more = () => ({})) {
  const hit = list.find((one) => (one.text ?? one.content).includes(TEXT))
  if (hit === undefined) return { holds: false }
  return { holds: true, ...Object.fromEntries(marks.map((mark) => [mark, MARKS[mark][1](hit)])), ...more(hit) }
}

const author = (hit) => ({ author: hit.author, vouched: MARKS.vouched[1](hit) })
const who = (hit) => ({ who: hit.createdBy ?? hit.author })
const voice = ({ author = 'unknown', door }) => (door === undefined ? author : `${author}, ${door}`)
const shared = ({ holds, ...facts }) => ({ isShared: holds, ...facts })
const noted = ({ holds, ...facts }) => ({ noted: holds, ...facts })
const warned = ({ holds, ...facts }) => ({ warned: holds, ...facts })
const recalled = ({ holds, ...facts }) => ({ recalled: holds, ...facts })
const inResource = ({ holds, ...facts }) => ({ inResource: holds, ...facts })
const listed = ({ holds, ...facts }) => ({ listed: holds, ...facts })
const rivalOf = (hit) => ({ rival: hit.contradictedBy?.[0]?.author })
const facts = (hit) => ({ ...author(hit), ...rivalOf(hit) })

/** The own records, and behind them those of the team. */
function inLists(own, team = []) {
  const found = inList(own, FOUND, facts)
  return found.holds ? found : inList(team, ['contradicted'], who)
}

const rivalIn = (text) => ({ rival: /contradicted by [0-9a-f]{8} \((?:\w+, )?(person|agent)/.exec(text)?.[1] })

/** The facts of one record that is shown by its id. */
function shownFacts(shown, id) {
  const { entry, revisions, retired, ended = retired } = shown
  const { state, ...said } = revisions.find((one) => one.id === id)
  const marks = Object.fromEntries(SHOWN.map((mark) => [mark, MARKS[mark][1](entry)]))
  return { state, by: voice(said), ended: ended && voice(ended), why: retired?.rule, ...marks, ...rivalOf(entry) }
}

function shownText(text, id) {
  const fact = (pattern) => new RegExp(pattern, 'm').exec(text)?.[1]
  const marks = Object.fromEntries(SHOWN.map((mark) => [mark, MARKS[mark][0].test(text)]))
  return {
    state: fact(`^${id.slice(-8)}  (\\w+)`) ?? fact('^state +(\\w+)'),
    by: fact('^said by +([^;\n]*)'),
    ended: fact('^retired by .*; (.*)\\)$') ?? fact('^(?:rejected|forgotten) by +(.*), \\d'),
    why: fact('^retired by .*\\((.*); '),
    ...marks,
    rival: fact('^contradicted by +\\w+ \\((\\w+),'),
  }
}

function pastText(text, id) {
  const [, state, by] = new RegExp(`  (\\w+)(?: [\\d-]+ [\\d:]+)?  by (.*?)  ${id}$`, 'm').exec(text) ?? []
  return { state, by }
}

const retiredFacts = (one) => ({
  isRetired: one !== undefined,
  ...(one && { ended: voice(one), why: one.retired.rule }),
})

/** What waits for a person: proposals, and contradictions with both sides. */
function reviewFacts({ waiting, conflicts }) {
  const conflict = conflicts.find(({ older }) => older.text.includes(TEXT))
  return { ...waitingFacts(waiting), ...conflictFacts(conflict) }
}
function waitingFacts(waiting) {
  const one = waiting.find(({ text }) => text.includes(TEXT))
  return { waits: one !== undefined, waitingOf: one?.author }
}
const conflictFacts = (conflict) => ({ contradicted: conflict !== undefined, rival: conflict?.newer.author })

const BUCKETS = ['forgotten', 'expired', 'rejected', 'waiting', 'retired', 'memories']
const bucketOf = (counts) => ({ bucket: BUCKETS.find((name) => counts[name] > 0) })
const bucketIn = (text) =>
  bucketOf(
    Object.fromEntries(
      [...text.matchAll(/^(\w+)(?: for review)? +(\d+)/gm)].map(([, name, count]) => [name, Number(count)]),
    ),
  )

/** The surfaces, each with the facts that it shows of a record: of what it has printed, or answered. */
export const SURFACES = {
  find: ({ lines }) => inText(lines.find, FOUND, '\n\n', rivalIn),
  'find --json': ({ documents }) => inLists(documents.find.hits, documents.find.team),
  'find --shared': ({ lines }) => shared(inText(lines.shared, SHARED, '\n\n')),
  'find --shared --json': ({ documents }) => shared(inList(documents.shared.thoughts, SHARED, who)),
  list: ({ lines }) => listed(inText(lines.list, LISTED)),
  'list --json': ({ documents }) => listed(inList(documents.list.entries, LISTED, author)),
  'list --retired': ({ lines }) => {
    const line = lines.retired.split('\n').find((one) => one.includes(TEXT))
    return { isRetired: line !== undefined, ...(line && { endedBy: /^\w{8} +\S+ +(\w+)/.exec(line)?.[1] }) }
  },
  'list --retired --json': ({ documents }) =>
    retiredFacts(documents.retired.entries.find(({ text }) => text.includes(TEXT))),
  show: ({ lines, id }) => shownText(lines.show, id),
  'show --json': ({ documents, id }) => shownFacts(documents.show, id),
  'show --history': ({ lines, id }) => pastText(lines.history, id),
  review: ({ lines }) => ({
    waits: new RegExp(`${TEXT}.*\n  .*(?:proposed|disputed|asks)`).test(lines.review),
    contradicted: new RegExp(`${TEXT}.*\n    older `).test(lines.review),
    rival: /newer .* by (\w+), /.exec(lines.review)?.[1],
  }),
  'review --json': ({ documents }) => reviewFacts(documents.review),
  export: ({ lines }) => ({ exported: lines.export.includes(TEXT) }),
  status: ({ lines }) => bucketIn(lines.status),
  'status --json': ({ documents }) => bucketOf(documents.status.counts),
  'the note of a prompt': ({ notes }) => noted(inText(notes.prompt, NOTED)),
  'the note of an edit': ({ notes }) => warned(inText(notes.edit, NOTED)),
  'the note of a start': ({ notes }) => noted(inText(notes.start, NOTED)),
  'memory_recall, text': ({ tools }) => inText(tools.memory_recall.text, FOUND),
  memory_recall: ({ tools }) => inLists(tools.memory_recall.notes, tools.memory_recall.team),
  'search_thoughts, text': ({ tools }) => shared(inText(tools.search_thoughts.text, SHARED)),
  search_thoughts: ({ tools }) => shared(inList(tools.search_thoughts.thoughts, SHARED, who)),
  'list_thoughts, text': ({ tools }) => listed(inText(tools.list_thoughts.text, LISTED)),
  list_thoughts: ({ tools }) => listed(inList(tools.list_thoughts.notes, LISTED, author)),
  'memory_show, text': ({ tools }) => {
    const { text } = tools.memory_show
    const { holds, ...marks } = inText(text, LISTED)
    return {
      isOpen: holds,
      ...(holds && { ...marks, state: /, (retired|superseded|forgotten|expired)\b/.exec(text)?.[1] ?? 'current' }),
    }
  },
  memory_show: ({ tools }) => {
    const { holds, ...facts } = inList(tools.memory_show.notes ?? [], LISTED, ({ state }) => ({ state }))
    return { isOpen: holds, ...facts }
  },
  'the resource of decisions': ({ resource }) => inResource(inText(resource, LISTED)),
  memory_review: ({ tools }) => ({ waits: tools.memory_review.total > 0 }),
  memory_conflicts: ({ tools, id }) =>
    conflictFacts(tools.memory_conflicts.conflicts.find(({ older }) => older.id === id)),
  thought_stats: ({ tools }) => bucketOf(tools.thought_stats.stored),
  'page: recall': ({ page }) => recalled(inList(page.recall.hits, FOUND, facts)),
  'page: list': ({ page }) => listed(inList(page.list.entries, LISTED, author)),
  'page: entry': ({ page, id }) => shownFacts(page.entry, id),
  'page: conflicts': ({ page }) =>
    conflictFacts(page.conflicts.conflicts.find(({ older }) => older.text.includes(TEXT))),
  'page: retired': ({ page }) => retiredFacts(page.retired.retired.find(({ text }) => text.includes(TEXT))),
  'page: review': ({ page }) => waitingFacts(page.review.waiting),
  'page: search': ({ page }) => shared(inList(page.search.thoughts, SHARED, who)),
  'page: status': ({ page }) => bucketOf(page.status.counts),
}

const linesFor = (id, query) => ({
  find: ['find', query],
  shared: ['find', '--shared', query],
  list: ['list'],
  retired: ['list', '--retired'],
  show: ['show', id],
  history: ['show', id, '--history'],
  review: ['review', '--list'],
  export: ['export'],
  status: ['status'],
  dates: ['list', '--dates'],
  found: ['find', '--dates', query],
})
const WITH_DOCUMENTS = ['find', 'shared', 'list', 'retired', 'show', 'review', 'status']

/** Everything that the surfaces say. */
export async function everything(t, s, id, query) {
  const given = linesFor(id, query)
  const names = Object.keys(given)
  if (s.colleague) await commands(s, [['drain'], ['hook', s.project, '--team']])
  const printed = await commands(s, [
    ['drain'],
    ...Object.values(given),
    ...WITH_DOCUMENTS.map((name) => [...given[name], '--json']),
  ])
  const lines = Object.fromEntries(names.map((name, at) => [name, printed[at + 1]]))
  const texts = WITH_DOCUMENTS.map((name, at) => [name, printed[at + 1 + names.length]])
  const documents = Object.fromEntries(texts.map(([name, text]) => [name, JSON.parse(text)]))
  const prompt = 'Which port does the zebra gateway listen on?'
  const edited = { file_path: join(s.project, FILE), old_string: '8001', new_string: '8002' }
  const notes = {
    prompt: noteFor(s, { hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt }),
    edit: noteFor(s, { hook_event_name: 'PreToolUse', session_id: 'b', tool_name: 'Edit', tool_input: edited }),
    start: noteFor(s, { hook_event_name: 'SessionStart', session_id: 'c', source: 'startup' }),
  }
  const client = await connectWithin(t, s)
  const asked = { memory_recall: { query }, search_thoughts: { query }, list_thoughts: {}, memory_show: { ids: [id] } }
  const tools = {}
  for (const name of [...Object.keys(asked), 'memory_review', 'memory_conflicts', 'thought_stats']) {
    tools[name] = await call(client, name, asked[name]).catch((error) => ({ text: String(error) }))
  }
  const { contents } = await client.readResource({ uri: 'memory://project/decisions' })
  const served = await serve({ port: 0, drain: false, watch: false, projectDir: s.project })
  t.after(() => served.close())
  const ask = callerOf(served)
  const words = new URLSearchParams({ query })
  const page = {}
  for (const path of [
    `recall?${words}`,
    'list',
    `entry/${id}?includeProposed=true`,
    'conflicts',
    'retired',
    'review',
    `search?${words}`,
    'status',
  ]) {
    page[/^\w+/.exec(path)[0]] = (await ask('GET', `/api/memory/${path}`)).body
  }
  // Documents of commands are read by agents as they are; an export is a file.
  const { export: _, ...read } = lines
  const told = { ...read, ...Object.fromEntries(texts.map(([name, text]) => [`${name} --json`, text])), ...notes }
  told.resource = contents[0].text
  for (const [name, answer] of Object.entries(tools)) told[name] = `${answer.text}\n${JSON.stringify(answer)}`
  return { id, lines, documents, notes, tools, resource: contents[0].text, page, told }
}
