// Hands what past sessions may have taught to an agent, in batches: the findings of the plan, each with the turn around it. What the agent quotes of
// them waits for a review. Which ones were handed is noted beside the state of the plan, so that a run that was killed continues.
import { join } from 'node:path'
import { readBody } from '../../../cli/body.js'
import type { Answer } from '../../../cli/command.js'
import { Failure } from '../../../cli/failure.js'
import { flat, readSessions, stands, turnsAround } from '../../../cli/turns.js'
import {
  type BackfillFinding,
  backfill,
  captureMemory,
  findProject,
  frameNotes,
  type ProjectOptions,
} from '../../../native.js'
import { sha256 } from '../../../shared/digest.js'
import { given } from '../../../shared/given.js'
import { forgeHome } from '../../../shared/home.js'
import { isObject, parsedJson } from '../../../shared/json.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from '../../../shared/private-file.js'
import { codeOf, messageOf } from '../../../shared/problem.js'
import { counted, oneLine } from '../../../text/printable.js'

/** The most findings of a batch, and the most tokens of their texts. */
const FINDINGS_MAX = 10
const TOKENS_MAX = 6000
/** How long new sessions may be read before the search for a turn, in milliseconds. */
const UPDATE_MS = 20_000

interface Asked {
  agent?: string[]
  /** The batch that the agent is through with. */
  from?: string
  /** Whether standard input has quotes. */
  quotes?: boolean
}

interface Quote {
  key: string
  quote: string
  type?: string
}

/** What was handed so far: the keys of findings that an agent is through with, and the batch that it has now. */
interface Handed {
  done: string[]
  cursor: string
  batch: string[]
}

/** Stores the quotes that an agent gives back, and hands it the next batch. */
export async function handOver(project: ProjectOptions, { agent, from, quotes }: Asked): Promise<Answer> {
  const quoted = quotes ? quotesIn(await readBody(['-'])) : []
  const options = { ...project, ...given({ agents: agent }) }
  const file = join(forgeHome(), 'backfill', `handed-${sha256(findProject(project)).slice(0, 16)}.json`)
  const handed = readHanded(file)
  // An older cursor is that of a call whose answer was lost.
  const done = new Set(from === handed.cursor ? [...handed.done, ...handed.batch] : handed.done)
  const plan = backfill(options)
  await readSessions(project, UPDATE_MS)
  const stored = await storeAll(quoted, plan.findings, done, project)
  // What is quoted is not offered as the rules have cut it; and the next batch does not read the sessions again.
  backfill({ ...options, decline: stored.keys })
  const open = plan.findings.filter(({ key }) => !done.has(key) && !stored.keys.includes(key))
  const next = open.slice(0, FINDINGS_MAX)
  const notes: string[] = []
  for (const finding of next) notes.push(await noteOf(finding, project))
  const frame = frameNotes(notes, { budget: TOKENS_MAX })
  const batch = next.slice(0, frame.shown).map(({ key, kind, type }) => ({ key, kind, type }))
  const keys = batch.map(({ key }) => key)
  const cursor = sha256(keys.join(' ')).slice(0, 16)
  writePrivateFile(file, JSON.stringify({ done: [...done, ...stored.keys], cursor, batch: keys }))
  const { proposed, known, refused } = stored
  const text = batch.length === 0 ? '' : frame.text
  const left = open.length - batch.length
  return {
    document: { ...(batch.length === 0 ? {} : { cursor }), batch, left, text, proposed, known, refused },
    text: [storedText(stored), text.trimEnd(), nextText(batch.length, left, cursor)].filter(Boolean).join('\n\n'),
  }
}

function nextText(count: number, left: number, cursor: string): string {
  if (count === 0) return 'No candidate is left. A person decides about the quotes: forge-memory review'
  const rest = left === 0 ? 'This is the last batch.' : `Behind these ${count}: ${left} more.`
  return `${rest} When you are through with them: forge-memory backfill --from ${cursor}, with --quotes for what you quote.`
}

function storedText({ proposed, known, refused }: Stored): string {
  if (proposed + known + refused.length === 0) return ''
  const counts = `${counted(proposed, 'quote')} in the review inbox, ${known} known already, ${refused.length} refused.`
  return [counts, ...refused.map(({ key, reason }) => `  ${oneLine(key)}: ${oneLine(reason)}`)].join('\n')
}

/** A damaged file, or none, means that nothing was handed: a finding that is handed twice is stored once. */
function readHanded(file: string): Handed {
  const nothing = { done: [], cursor: '', batch: [] }
  try {
    const { done, cursor, batch } = JSON.parse(readPrivateFile(file, OTHERS_WRITE) ?? '{}')
    return Array.isArray(done) && typeof cursor === 'string' && Array.isArray(batch) ? { done, cursor, batch } : nothing
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return nothing
    throw error
  }
}

/** All that is foreign is one line each, so that no text looks like the head of another finding. */
async function noteOf(finding: BackfillFinding, project: ProjectOptions): Promise<string> {
  const { key, kind, reason, agent, session, line, at, text } = finding
  const head = `${key} (${kind}; ${agent} ${session.slice(0, 8)}:${line}${at === undefined ? '' : `, ${at.slice(0, 10)}`})`
  const turns = (await turnsAround(finding, project)).map(({ role, text }) => `  ${role}: ${flat(text)}`)
  return [flat(`${head}: ${reason}`), `  found: ${flat(text)}`, ...turns].join('\n')
}

/** Reads one JSON object a line. Nothing is stored when one of them is none. */
function quotesIn(text: string): Quote[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, at) => {
    const found = parsedJson(line)
    const { key, quote, type } = isObject(found) ? found : {}
    if (typeof key === 'string' && typeof quote === 'string' && (type === undefined || typeof type === 'string'))
      return { key, quote, ...given({ type }) }
    throw new Failure('INVALID_INPUT', `line ${at + 1} of standard input is not a quote`, {
      hint: 'give one object a line: {"key": "...", "quote": "...", "type": "convention"}; nothing was stored',
    })
  })
}

interface Stored {
  /** Of which findings a quote was stored. */
  keys: string[]
  proposed: number
  known: number
  refused: { key: string; reason: string }[]
}

async function storeAll(
  quotes: Quote[],
  findings: BackfillFinding[],
  done: Set<string>,
  project: ProjectOptions,
): Promise<Stored> {
  const stored: Stored = { keys: [], proposed: 0, known: 0, refused: [] }
  for (const one of quotes) {
    const finding = findings.find(({ key }) => key === one.key)
    const reason = finding === undefined ? absent(done.has(one.key)) : await store(one, finding, project, stored)
    if (reason !== undefined) stored.refused.push({ key: one.key, reason })
  }
  return stored
}

const absent = (wasHanded: boolean) => (wasHanded ? 'a quote of it was stored before' : 'no candidate has this key')

/**
 * Stores a quote as what an agent proposes, with the place that it is from. Returns why not when it is refused: only what stands in the turn may name
 * that place.
 */
async function store(
  { quote, type }: Quote,
  finding: BackfillFinding,
  project: ProjectOptions,
  stored: Stored,
): Promise<string | undefined> {
  const turns = await turnsAround(finding, project)
  if (![finding, ...turns].some(({ text }) => stands(quote, text))) return 'this does not stand there word for word'
  const { agent, session, line, kind } = finding
  try {
    const outcome = captureMemory(
      {
        type: type ?? finding.type,
        body: quote,
        source: `backfill/${agent}`,
        createdBy: `${agent}:${session.replace(/[^\w.-]/g, '').slice(0, 80)}:${line}`,
        tags: [kind],
      },
      {
        ...project,
        author: 'agent',
        session: `import:${agent}:${session}`.slice(0, 200),
        door: 'backfill',
        propose: true,
      },
    )
    if (!outcome.captured && !outcome.deduped)
      throw new Failure(
        outcome.tiers.files.error?.code ?? 'IO',
        outcome.tiers.files.error?.message ?? 'nothing was stored',
      )
    if (outcome.deduped) stored.known += 1
    else stored.proposed += 1
    stored.keys.push(finding.key)
    return undefined
  } catch (error) {
    if (codeOf(error) !== 'INVALID_INPUT') throw error
    return messageOf(error)
  }
}
