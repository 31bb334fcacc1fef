import type { Readable, Writable } from 'node:stream'
import { answerInitialize } from './initialize.js'
import { projectLine } from './whereabouts.js'

const LINE_FEED = 10
/** How long the first request is waited for. Clients send it when they start the server; for one that does not, the protocol is loaded. */
const WAIT_MS = 30

/**
 * Answers the first line of the input if it is an `initialize` request, and returns its id; `projectDir` is a project that was named. The input still has the line
 * afterwards: the server reads it, too, and leaves out its answer.
 */
export async function answerEarly(
  input: Readable,
  output: Writable,
  projectDir: string | undefined,
): Promise<string | number | undefined> {
  const chunk = await firstChunk(input)
  const end = chunk?.indexOf(LINE_FEED) ?? -1
  const answer =
    chunk === undefined || end < 0
      ? undefined
      : answerInitialize(chunk.toString('utf8', 0, end), projectLine(projectDir))
  if (answer !== undefined) output.write(answer.line)
  return answer?.id
}

/** Returns the first chunk of the input, and puts it back; undefined when it ends or has nothing yet. */
function firstChunk(input: Readable): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const done = (chunk?: Buffer) => {
      clearTimeout(timer)
      input.off('readable', read).off('end', done).off('error', done).off('close', done)
      resolve(chunk)
    }
    const read = () => {
      const chunk: Buffer | null = input.read()
      if (chunk === null) return
      // Before anything else is done: an input that has ended must not look as if it was empty.
      input.unshift(chunk)
      done(chunk)
    }
    const timer = setTimeout(done, WAIT_MS)
    input.on('readable', read).on('end', done).on('error', done).on('close', done)
  })
}
