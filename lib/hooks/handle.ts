import { sep } from 'node:path'
import { packageTags } from '../moment/scopes.js'
import { captureMemory, findProject } from '../native.js'
import { isCaptureAllowed } from '../shared/asked-settings.js'
import { countCitations } from '../shared/citations.js'
import { forgeHome } from '../shared/home.js'
import type { Agent, HookCall } from './call.js'
import { startLearning } from './learning.js'
import { findCommandMarks, findMarks, type Mark } from './marks.js'
import { eachPending, settle } from './pending-marks.js'
import { clearOld, type Session, SessionFile } from './session.js'
import { sessionContext } from './session-start.js'
import { learnFromCommand } from './test-command.js'
import { readAgentTexts } from './transcript.js'

/** Handles a call that captures, or starts a session, and returns the context for the agent, if there is any. */
export async function handle(call: HookCall, pending?: string): Promise<string | undefined> {
  switch (call.event) {
    case 'session-start':
      return sessionContext(call)
    default:
      await learn(call)
      if (pending !== undefined) settle(pending)
      return undefined
  }
}

/** Captures the marks since the last call, and what a test command has shown. */
async function learn(call: HookCall): Promise<void> {
  const file = SessionFile.of(forgeHome(), call.sessionId)
  if (!isCaptureAllowed(findProject())) {
    if (call.event === 'session-end') file.end()
    return
  }
  const session = file.read()
  startLearning(call, session)
  if (call.said !== undefined) capture(call.agent, await findMarks(call.said))
  if (call.transcript !== undefined && call.event !== 'after-tool') {
    await captureTranscript(call.agent, call.transcript, session, () => file.write(session))
  }
  if (call.command !== undefined) {
    // A comment in a command is the agent's own; what the command prints is not.
    capture(call.agent, findCommandMarks(call.command.line))
    if (learnFromCommand(call.command, session)) file.write(session)
  }
  if (call.event !== 'session-end') return
  file.end()
  clearOld(forgeHome())
}

/** The offset is notePending only after the marks are stored: what a deadline has cut off is found by the next call. */
async function captureTranscript(agent: Agent, path: string, session: Session, save: () => void): Promise<void> {
  for (let isMore = true; isMore; ) {
    const said = readAgentTexts(path, session.read[path] ?? 0)
    for (const text of said.texts) capture(agent, await findMarks(text))
    countCitations(said.texts, path)
    isMore = said.isMore
    if (session.read[path] === said.next) return
    session.read[path] = said.next
    save()
  }
}

function capture(agent: Agent, marks: Mark[]): void {
  for (const { type, body } of marks) {
    const { captured, deduped, tiers } = captureMemory({ type, body, source: `${agent}/hook`, tags: packageTags({}) })
    if (!captured && !deduped)
      throw new Error(`a mark was not stored: ${tiers.files.error?.message ?? 'no file accepted it'}`)
  }
}

/** Stores pending marks of other calls and sessions of this project, which their agent or a deadline ended early. */
export async function finishOthers({ event, sessionId }: HookCall): Promise<void> {
  if (event === 'prompt' || event === 'after-tool') return
  const home = forgeHome()
  const project = findProject()
  if (!isCaptureAllowed(project)) return
  const isHere = (cwd: string | undefined) => cwd !== undefined && (cwd === project || cwd.startsWith(project + sep))
  eachPending(home, ({ cwd, agent, marks }) => {
    if (isHere(cwd)) capture(agent, marks)
    return isHere(cwd)
  })
  for (const file of SessionFile.others(home, sessionId)) {
    const session = file.read()
    if (isHere(session.cwd) && session.isOff !== true) await finishSession(file, session)
  }
}

async function finishSession(file: SessionFile, session: Session): Promise<void> {
  const { agent = 'claude' } = session
  try {
    for (const path of Object.keys(session.read)) {
      await captureTranscript(agent, path, session, () => (file.isThere ? file.write(session) : undefined))
    }
  } catch {
    // Its transcript is gone, or the fault is one that the session's own calls report.
    return
  }
  if (session.hasEnded) file.end()
}
