import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as rest } from 'node:timers/promises'
import { Failure } from '../failure.js'
import { askHook } from './ask.js'
import { Conversations } from './conversations.js'
import { linesOf } from './lines.js'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** How long the output of an agent that has ended is read: what it started may hold the pipe open. */
const OUTPUT_MS = 1000
const isWindows = process.platform === 'win32'

/**
 * Starts an agent, passes its messages and those of its editor on, and returns its exit code. When a signal has ended the agent, the same ends this
 * process.
 */
export async function runProxy(agent: string, args: string[]): Promise<number> {
  // On Windows npm installs scripts, which only the shell can start.
  const [command = agent, ...words] = isWindows && !/\.exe$/i.test(agent) ? ['cmd', '/d', '/c', agent] : [agent]
  const child = spawn(command, [...words, ...args], { stdio: ['pipe', 'pipe', 'inherit'], windowsHide: true })
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const conversations = new Conversations(askHook)
  keepProgram()
  const toAgent = async (bytes: Buffer) => conversations.toAgent(bytes)
  const toEditor = async (bytes: Buffer) => {
    conversations.toEditor(bytes)
    return bytes
  }
  // A side that is gone closes the pipe of the other, as without a proxy.
  pipeline(process.stdin, passing(toAgent), child.stdin).catch(() => child.stdin.destroy())
  const read = pipeline(child.stdout, passing(toEditor), process.stdout).catch(() => child.stdout.destroy())
  const [code, signal] = await ended.catch((error: Error) => {
    throw new Failure('NOT_FOUND', `${agent} cannot be started: ${error.message}`)
  })
  await Promise.race([read, rest(OUTPUT_MS, undefined, { ref: false })])
  process.stdin.destroy()
  child.stdout.destroy()
  await conversations.end()
  if (signal === null) return code ?? 1
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  return 128 + constants.signals[signal]
}

/** Without the program of hooks each question starts Node. Where the engine is missing there are no notes, and the pipe stays. */
function keepProgram(): void {
  import('../../init/hook-program.js').then(({ tryToKeepHookCopy }) => tryToKeepHookCopy()).catch(() => undefined)
}

/** Passes lines on. What cannot be understood is passed on as it is. */
function passing(change: (bytes: Buffer) => Promise<Buffer>) {
  return async function* (source: Readable): AsyncGenerator<Buffer> {
    for await (const { bytes, isWhole } of linesOf(source)) {
      yield isWhole ? await change(bytes).catch(() => bytes) : bytes
    }
  }
}
