// Just-in-time notes: before an edit or a command (or right after it, if the host accepts no context before), and after a failed command.
import { createHash } from 'node:crypto'
import { type Action, type Known, knownAbout } from '../moment/evidence.js'
import { record } from '../moment/journal.js'
import { frameNotes, type RecallHit } from '../native.js'
import { forgeHome } from '../shared/home.js'
import { noteLine } from '../shared/note-line.js'
import { estimateTokens } from '../shared/tokens.js'
import { type HookCall, NO_SESSION } from './call.js'
import { takesMoments, takesRemedies } from './hosts.js'
import { forgetInjected, type NoteUse, notInjected, recordInjected, startOf, usesIn } from './injected-notes.js'
import { projectOf } from './project.js'
import { type Session, SessionFile } from './session.js'

/** The limits of one injection, which costs tokens at every tool call. */
const NOTES_MAX = 2
const BUDGET = 200
/** How long calls without a session id count as one session. */
const NAMELESS_MS = 2 * 3600_000

/** Returns notes about the action of the agent: those with exact evidence that were not injected into the session before. */
export function momentContext(call: HookCall): string | undefined {
  const known = actionsOf(call).flatMap((action) => knownAbout(action, { project: projectOf(call), cwd: call.cwd }))
  return tell(call, known, { notesMax: NOTES_MAX, budget: BUDGET })
}

/** Returns the actions of a call; after a failed command, the failure comes first. */
function actionsOf(call: HookCall): Action[] {
  const { agent, event, nativeEvent, action, command } = call
  const hasFailed = event === 'after-tool' && command?.exitCode !== undefined && command.exitCode !== 0
  const remedy: Action[] =
    hasFailed && command !== undefined && takesRemedies(agent, nativeEvent)
      ? [{ kind: 'failure', line: command.line, output: command.output ?? '' }]
      : []
  return [...remedy, ...(action !== undefined && takesMoments(agent, event) ? [action] : [])]
}

/** A record, and the evidence by which it was found. */
interface Found {
  hit: RecallHit
  why: string
}

/** Frames the notes that were not injected before, records them as injected, and records the use of earlier ones. */
export function injectNotes(
  call: HookCall,
  found: Found[],
  limits: { notesMax: number; budget: number },
): string | undefined {
  const project = projectOf(call)
  const file = SessionFile.of(forgeHome(), sessionKey(call))
  const session = readSession(file, call)
  const before = JSON.stringify(session)
  forgetInjected(call, session)
  const uses = usesIn(call, session, project)
  const fresh = new Set(
    notInjected(
      call,
      session,
      found.map(({ hit }) => hit),
    ),
  )
  const chosen = found.filter(({ hit }) => fresh.has(hit)).slice(0, limits.notesMax)
  const framed = frameWithin(chosen, limits.budget)
  const injected = chosen.slice(0, framed?.shown ?? 0)
  recordInjected(
    call,
    session,
    injected.map(({ hit }) => hit),
  )
  keep(file, session, before)
  count(call, project, uses, injected, framed?.tokens ?? 0)
  return injected.length === 0 ? undefined : framed?.text
}

const SMALLER = 0.95
/** The maximum number of attempts to shrink a frame, each by the excess. */
const FRAMES_MAX = 8

/** Frames notes within a token budget. The engine estimates tokens by characters, which is too low for code, digests and emoji. */
function frameWithin(found: Found[], budget: number): { text: string; shown: number; tokens: number } | undefined {
  if (found.length === 0) return undefined
  const lines = found.map(({ hit }) => noteLine(hit))
  let given = budget
  for (let attempt = 0; attempt < FRAMES_MAX; attempt += 1) {
    const { text, shown } = frameNotes(lines, { budget: given })
    const tokens = estimateTokens(text)
    if (shown === 0) return undefined
    if (tokens <= budget) return { text, shown, tokens }
    given = Math.floor((given * budget * SMALLER) / tokens)
  }
  return undefined
}

function tell(call: HookCall, known: Known[], limits: { notesMax: number; budget: number }): string | undefined {
  return injectNotes(
    call,
    known.map(({ hit, kind, why }) => ({ hit, why: `${kind} ${why}` })),
    limits,
  )
}

function sessionKey({ sessionId, agent, cwd }: HookCall): string {
  return sessionId === NO_SESSION ? `${NO_SESSION}:${agent}:${cwd ?? ''}` : sessionId
}

function readSession(file: SessionFile, { sessionId }: HookCall): Session {
  const session = file.read()
  if (sessionId === NO_SESSION && file.ageMs > NAMELESS_MS) delete session.told
  return session
}

/** If the state cannot be written, the worst case is that a note is injected again. */
function keep(file: SessionFile, session: Session, before: string): void {
  if (JSON.stringify(session) === before) return
  try {
    file.write(session)
  } catch {
    return
  }
}

function count(call: HookCall, project: string, uses: NoteUse[], injected: Found[], tokens: number): void {
  const session = createHash('sha256').update(call.sessionId).digest('hex').slice(0, 12)
  const { event: hook, agent: host } = call
  const startedAt = startOf(call)
  const common = { at: new Date().toISOString(), session, startedAt }
  const ms = Math.round(call.startedAt === undefined ? performance.now() : Date.now() - startedAt)
  const ids = injected.map(({ hit }) => hit.id)
  const why = injected.map((each) => each.why.slice(0, 200))
  record(project, [
    ...uses.map((use) => ({ ...common, ...use })),
    ...(injected.length === 0 ? [] : [{ ...common, kind: 'told' as const, hook, host, ids, why, tokens, ms }]),
  ])
}
