// How each change of a command is taken back. Journals are only appended to: a taken-back edit is a further revision, and a forgotten
// memory is stored again under a new id.

import {
  editMemory,
  forget,
  keepMemory,
  type MemoryDetail,
  type ProjectOptions,
  replaceMemory,
  showMemory,
} from '../../native.js'
import { shortId } from '../../shared/identity.js'
import { commandSpeaker } from '../../shared/speaker.js'
import { oneLine } from '../../text/printable.js'
import { Failure } from '../failure.js'
import { given } from '../options.js'
import type { Change, PastCommand } from './log.js'

/** One step: what it will do, and doing it. */
export interface Step {
  verb: 'forget' | 'restore' | 'edit' | 'keep' | 'retire'
  id: string
  text: string
  /** Returns the id under which the memory is stored now. */
  run(): string
}

/** Returns the steps that take a command back. Looks at every memory first, so that a refusal changes nothing. */
export function stepsFor(command: PastCommand, project: ProjectOptions): Step[] {
  return command.changes.flatMap((change) => stepsOf(change, command, project)).reverse()
}

function stepsOf(change: Change, command: PastCommand, project: ProjectOptions): Step[] {
  switch (change.kind) {
    case 'stored':
      return [...change.retired.map((id) => keeping(id, project)), forgetting(change.id, project)]
    case 'edited':
      return [editing(change, project)]
    case 'forgotten':
      return [restoring(change.id, project)]
    case 'kept':
      return [retiring(change, project)]
    case 'retired':
      return [keeping(change.id, project)]
    case 'final':
      throw new Failure('UNSUPPORTED', `the last command, ${command.name}, cannot be taken back`, { hint: change.hint })
  }
}

function forgetting(id: string, project: ProjectOptions): Step {
  const { entry, state } = found(id, project)
  if (entry.id !== id || state === 'forgotten') throw changedSince(id)
  const run = () => {
    forget(id, { ...project, ...commandSpeaker() })
    return id
  }
  return { verb: 'forget', id, text: entry.text, run }
}

function editing({ before, after }: Extract<Change, { kind: 'edited' }>, project: ProjectOptions): Step {
  const { entry, state, revisions } = found(after, project)
  const text = revisions.find(({ id }) => id === before.id)?.text
  if (entry.id !== after || state === 'forgotten' || text === undefined) throw changedSince(after)
  const { type, tags, confidence, expiresAt } = before
  const changes = { body: text, type, tags, confidence, ...given({ expiresAt }) }
  const run = () => editMemory(after, changes, { ...project, ...commandSpeaker() }).id
  return { verb: 'edit', id: after, text, run }
}

function restoring(id: string, project: ProjectOptions): Step {
  const detail = found(id, project)
  if (detail.state !== 'forgotten') throw changedSince(id)
  return { verb: 'restore', id, text: detail.entry.text, run: () => kept(id, project) }
}

function keeping(id: string, project: ProjectOptions): Step {
  const { entry, state } = found(id, project)
  if (state === 'forgotten') throw changedSince(id)
  return { verb: 'keep', id, text: entry.text, run: () => kept(id, project) }
}

function kept(id: string, project: ProjectOptions): string {
  return keepMemory(id, { ...project, ...commandSpeaker() }).id
}

function retiring({ id, by }: Extract<Change, { kind: 'kept' }>, project: ProjectOptions): Step {
  const kept = found(id, project)
  if (kept.state !== 'current' || (by !== '' && found(by, project).state === 'forgotten')) throw changedSince(id)
  const run = () => {
    replaceMemory({ old: id, ...(by === '' ? {} : { by }) }, { ...project, ...commandSpeaker() })
    return id
  }
  return { verb: 'retire', id, text: kept.entry.text, run }
}

function found(id: string, project: ProjectOptions): MemoryDetail {
  return showMemory(id, { ...project, includeProposed: true })
}

function changedSince(id: string): Failure {
  return new Failure(
    'INVALID_INPUT',
    `${shortId(oneLine(id))} was changed after that command: nothing was taken back`,
    {
      hint: `forge-memory show ${shortId(oneLine(id))} --history shows what happened to it`,
    },
  )
}
