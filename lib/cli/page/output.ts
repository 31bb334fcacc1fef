import { writeSync } from 'node:fs'

type NodeError = NodeJS.ErrnoException

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeError).code === code
}

/** Sleeps without a timer: the writer below must not return before the text is out. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/**
 * Writes all of `text`, or of bytes that are one, to a file descriptor before it returns.
 *
 * `process.stdout` is not used: opening it costs several milliseconds on a pipe, and it hides whether a write failed. A
 * reader that has gone away (`forge-memory list | head -1`) is no error of ours: the rest is dropped, and false is returned.
 */
export function write(descriptor: number, text: string | Uint8Array): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      // Windows says EOF where the others say EPIPE.
      if (isCode(error, 'EPIPE') || isCode(error, 'EOF')) return false
      if (!isCode(error, 'EAGAIN')) throw error
      pause(2)
    }
  }
  return true
}
