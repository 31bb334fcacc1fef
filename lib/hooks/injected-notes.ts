// Which notes were injected into a session, and whether the agent used them.
import { createHash } from 'node:crypto'
import { commandsIn, namedWords } from '../moment/command-line.js'
import type { Action } from '../moment/evidence.js'
import type { Use } from '../moment/journal.js'
import { mentionOf, pathsIn, pathWithin } from '../moment/paths.js'
import type { RecallHit } from '../native.js'
import { shortId } from '../shared/identity.js'
import type { HookCall } from './call.js'
import type { InjectedNote, Session } from './session.js'

/** The maximum number of notes kept per session, and the length kept of each, in characters. */
const NOTES_MAX = 200
const TEXT_MAX = 500
const WORDS_MIN = 2

/** Subagents have a context of their own, so notes are tracked for each. */
const keyOf = (call: HookCall, id: string) => (call.branchId === undefined ? id : `${call.branchId}/${id}`)

/** Leaves out notes that were injected into the session before, unless they have changed since. */
export function notInjected(call: HookCall, session: Session, hits: RecallHit[]): RecallHit[] {
  return hits.filter((hit) => {
    const before = session.told?.[keyOf(call, hit.id)]
    return before?.hash !== hashOf(hit) || isSameCall(before, call)
  })
}

/** A server that answered too late has injected nothing: the hook process asks again, and so does a host that repeats a tool call. */
function isSameCall({ hook, startedAt, toolUseId }: InjectedNote, call: HookCall): boolean {
  if (hook !== call.event) return false
  return startedAt === startOf(call) || (toolUseId !== undefined && toolUseId === call.toolUseId)
}

/** When the process of a call started, which a server is told: it identifies the call. */
export function startOf({ startedAt = performance.timeOrigin }: HookCall): number {
  return startedAt
}

/** Records notes as injected. */
export function recordInjected(call: HookCall, session: Session, hits: RecallHit[]): void {
  if (hits.length === 0) return
  const notes = session.told ?? {}
  for (const hit of hits) {
    const { toolUseId } = call
    notes[keyOf(call, hit.id)] = {
      hash: hashOf(hit),
      hook: call.event,
      startedAt: startOf(call),
      text: hit.text.slice(0, TEXT_MAX),
      ...(toolUseId === undefined ? {} : { toolUseId }),
    }
  }
  session.told = Object.fromEntries(Object.entries(notes).slice(-NOTES_MAX))
}

/** Forgets the injected notes at events after which the context no longer holds them. */
export function forgetInjected({ event, source }: HookCall, session: Session): void {
  if (event === 'compaction' || (event === 'session-start' && source !== 'resume')) delete session.told
}

function hashOf({ text, freshness, contradictedBy }: RecallHit): string {
  const facts = JSON.stringify([text, freshness?.state, contradictedBy?.length])
  return createHash('sha256').update(facts).digest('hex').slice(0, 16)
}

/** A use, without what all entries of a call have in common. */
export type NoteUse = Omit<Use, 'at' | 'session' | 'startedAt'>

/** Finds injected notes that this call uses: it touches their file, runs their command or cites their id. */
export function usesIn(call: HookCall, session: Session, project: string): NoteUse[] {
  return Object.entries(session.told ?? {}).flatMap(([key, note]) => {
    const id = key.slice(key.lastIndexOf('/') + 1)
    const isOwnCall = call.toolUseId !== undefined && call.toolUseId === note.toolUseId
    const how = note.isUsed || isOwnCall ? undefined : howUsed(call, note, id, project)
    if (how === undefined) return []
    note.isUsed = true
    return [{ kind: 'used', hook: note.hook, id, how }]
  })
}

function howUsed(
  { action, said, cwd }: HookCall,
  { text }: InjectedNote,
  id: string,
  project: string,
): Use['how'] | undefined {
  const isCited = [said, action?.kind === 'command' ? action.line : undefined].some((each) =>
    each?.includes(shortId(id)),
  )
  if (isCited) return 'cited'
  return action === undefined ? undefined : howActed(action, text, project, cwd)
}

function howActed(action: Action, text: string, project: string, cwd: string | undefined): Use['how'] | undefined {
  if ('paths' in action) {
    const named = pathsIn(text)
    const paths = action.paths.flatMap((path) => pathWithin(project, path, cwd) ?? [])
    return paths.some((path) => mentionOf(named, path) === 'file') ? 'file' : undefined
  }
  return commandsIn(action.line).some((command) => namedWords(text, command) >= WORDS_MIN) ? 'command' : undefined
}
