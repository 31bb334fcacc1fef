// Handles a hook call in a running server instead of the hook process.
import { realpathSync } from 'node:fs'
import { forgeHome } from '../shared/home.js'
import { answerFor } from './answer.js'
import { readCall } from './call.js'
import { promptContext } from './context.js'
import { claimCall } from './duplicate-calls.js'
import { momentContext } from './moment.js'
import type { ServedAnswer, ServedRequest } from './server-socket.js'
import { isSwitchedOff } from './switched-off.js'

/** Answers a call about the served project. All other calls are left to the hook process, which also reports failures. */
export function answerServed(
  { event, host, payload, startedAt, expiresAt }: ServedRequest,
  project: string,
): ServedAnswer {
  // The hook no longer waits, so a note must not be recorded as injected.
  if (Date.now() >= expiresAt) return {}
  const call = readCall(event, payload, host)
  if (call?.cwd === undefined || (call.event !== 'before-tool' && call.event !== 'prompt')) return {}
  // From a folder below, the engine may find another project, which only the hook process can do.
  if (realpathSync(call.cwd) !== project) return {}
  const claim = claimCall(call, forgeHome())
  if (claim === undefined || isSwitchedOff({ ...call, project })) return { answer: answerFor(call, undefined) }
  try {
    const own = { ...call, project, startedAt }
    const context = call.event === 'prompt' ? promptContext(own, call.prompt ?? '') : momentContext(own)
    return { answer: answerFor(call, context) }
  } catch (error) {
    claim.release()
    throw error
  }
}
