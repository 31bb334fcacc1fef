// Takes a command back, and does it again: for the terminal, and for the dashboard, which keeps its changes in the same place.
import type { ProjectOptions } from '../native.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { type Change, stateOf } from './changes.js'
import { dropCommand, type KeptCommand, keepIn, lastCommand, type PastCommand, type Stack } from './log.js'
import { type Step, stepsFor } from './steps.js'

/** A change that was taken back. */
export interface Done {
  did: Step['verb']
  id: string
  text: string
  /** Under which id it is stored now. */
  now: string
}

/** Takes a command back; with `dryRun`, only tells the steps. */
export function takeBack(kept: KeptCommand, project: ProjectOptions, dryRun = false): Done[] {
  return reverse(kept, 'undone', project, dryRun)
}

/** Does a command again that was taken back. */
export function doAgain(kept: KeptCommand, project: ProjectOptions, dryRun = false): Done[] {
  if (kept.command.changes.some((change) => change.kind === 'request')) {
    throw problem(
      'INVALID_INPUT',
      'it decided about a request, which waits again',
      'forge-memory review asks about it again',
    )
  }
  return reverse(kept, 'done', project, dryRun)
}

/** Takes back changes that no command has noted yet. */
export function takeBackChanges(changes: Change[], project: ProjectOptions): void {
  runAll(stepsFor({ name: '', at: '', changes }, project), new Map())
}

/** Runs steps in their order; `renamed` has the ids that memories have now, by those that they had. */
function runAll(steps: Step[], renamed: Map<string, string>): Done[] {
  return steps.map(({ verb, id, text, run }) => {
    const now = run((before) => renamed.get(before) ?? before)
    if (now !== id) renamed.set(id, now)
    return { did: verb, id, text, now }
  })
}

/** Leads every memory back to the state before a command, which can be reversed in turn: the other stack keeps it. */
function reverse({ command, file }: KeptCommand, to: Stack, project: ProjectOptions, dryRun: boolean): Done[] {
  const renamed = new Map<string, string>()
  const nowOf = (id: string) => renamed.get(id) ?? id
  const steps = stepsFor(command, project)
  if (dryRun) return steps.map(({ verb, id, text }) => ({ did: verb, id, text, now: id }))
  const before = command.changes.map((change) =>
    change.kind === 'memory' ? stateOf(change.after.id, project) : undefined,
  )
  const changes = runAll(steps, renamed)
  const reversed = command.changes.map((change, at): Change => {
    if (change.kind === 'request') return change
    if (change.kind === 'place') return { ...change, verdict: change.verdict === 'elsewhere' ? 'here' : 'elsewhere' }
    return { kind: 'memory', ...given({ before: before[at] }), after: stateOf(nowOf(change.after.id), project) }
  })
  dropCommand(file, renamedIn(command, renamed), project)
  keepIn(to, { ...command, changes: reversed }, project)
  return changes
}

/** The memories that a command has changed. */
export function idsIn({ changes }: PastCommand): string[] {
  return changes.flatMap((change) => (change.kind === 'memory' ? [change.after.id] : []))
}

/** Returns the newest command that was not taken back; null when there is none. */
export function newestCommand(project: ProjectOptions): { name: string; at: string; changes: number } | null {
  const last = lastCommand(project)?.command
  return last === undefined ? null : { name: last.name, at: last.at, changes: last.changes.length }
}

/** Takes back the newest command, if it is the one of this moment. Throws `NOT_FOUND` or `INVALID_INPUT`. */
export function takeBackAt(at: unknown, project: ProjectOptions): { command: string; at: string; changes: Done[] } {
  const last = lastCommand(project)
  if (last === undefined) throw problem('NOT_FOUND', 'there is no command left to take back')
  const { command } = last
  if (command.at !== at) {
    throw problem('INVALID_INPUT', `at: ${command.name} was done since`, 'take back what was done since first')
  }
  return { command: command.name, at: command.at, changes: takeBack(last, project) }
}

/** The ids under which memories are stored now, by their ids before and after a command. */
function renamedIn({ changes }: PastCommand, renamed: Map<string, string>): Map<string, string> {
  const ids = changes.flatMap((change): [string, string][] => {
    if (change.kind !== 'memory') return []
    const { before, after } = change
    const now = renamed.get(after.id) ?? after.id
    return [
      [after.id, now],
      [before?.id ?? after.id, now],
    ]
  })
  return new Map(
    ids.filter(([id, now]) => id !== now).map((pair) => pair.map((id) => JSON.stringify(id)) as [string, string]),
  )
}
