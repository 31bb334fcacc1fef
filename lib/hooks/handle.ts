import { captureMemory } from '../index.js'
import { forgeHome } from '../shared/home.js'
import type { HookCall } from './call.js'
import { promptContext, sessionContext } from './context.js'
import { findMarks } from './marks.js'
import { type Session, SessionFile } from './session.js'
import { learnFromCommand } from './test-command.js'
import { readSaid } from './transcript.js'

/** Does what a call asks for, and returns the context to hand to the agent, if there is any. */
export function handle(call: HookCall): string | undefined {
  switch (call.event) {
    case 'session-start':
      return sessionContext()
    case 'prompt':
      return call.prompt === undefined ? undefined : promptContext(call.prompt)
    default:
      learn(call)
      return undefined
  }
}

/** Captures what was marked since the last look, and what a test command taught. */
function learn(call: HookCall): void {
  const file = new SessionFile(forgeHome(), call.sessionId)
  const session = file.read()
  let changed = captureMarks(call, session)
  if (call.command !== undefined) {
    // A comment in a command is the agent's own; what the command prints is not.
    capture(call, call.command.line)
    changed = learnFromCommand(call.command, session) || changed
  }
  if (call.event === 'session-end') file.end()
  else if (changed) file.write(session)
}

/** The offset is noted only after the marks are stored: what a deadline has cut off is found by the next call. */
function captureMarks(call: HookCall, session: Session): boolean {
  if (call.said !== undefined) capture(call, call.said)
  if (call.transcript === undefined || call.event === 'tool-used') return false
  const { texts, next } = readSaid(call.transcript, session.read[call.transcript] ?? 0)
  for (const said of texts) capture(call, said)
  session.read[call.transcript] = next
  return true
}

function capture({ agent }: HookCall, said: string): void {
  for (const { type, body } of findMarks(said)) {
    const { captured, deduped, tiers } = captureMemory({ type, body, source: `${agent}/hook` })
    if (!captured && !deduped) throw new Error(`a mark was not stored: ${tiers.files.error ?? 'no file took it'}`)
  }
}
