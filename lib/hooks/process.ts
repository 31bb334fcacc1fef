// The process of one hook call. Hosts start it at every tool call, so it opens few files, does without a command line parser, and exits
// explicitly.
import { writeSync } from 'node:fs'
import { isOffByEnvironment } from '../moment/environment.js'
import type { PlainArguments } from './arguments.js'
import { askServer } from './server-socket.js'
import { readPayload } from './standard-input.js'

/** Answers a hook call on standard output, and ends the process: with 0, whatever happens. */
export async function answerHook({ event, host }: PlainArguments): Promise<void> {
  if (isOffByEnvironment()) return
  const payload = await readPayload()
  const served = await askServer(event, payload, host)
  if (served === undefined) await answerHere(event, payload, host)
  else {
    print(1, served)
    process.exit(0)
  }
}

/** Answers with the engine in this process. */
async function answerHere(event: string, payload: string, host: string | undefined): Promise<void> {
  const { endProcess } = await import('../native.js')
  try {
    const { runHook } = await import('./index.js')
    const { answer, problem } = await runHook(event, payload, host === undefined ? {} : { host })
    print(1, answer)
    if (problem !== undefined) print(2, `warning: ${(await import('../text/printable.js')).oneLine(problem)}`)
  } finally {
    // After the deadline, a thread may still wait for a lock; the process does not wait for it.
    endProcess(0)
  }
}

/** Writes a line. The host may have closed the pipe; an error cannot be reported then. */
function print(descriptor: number, line: string): void {
  if (line === '') return
  const bytes = Buffer.from(`${line}\n`)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
  } catch {
    return
  }
}
