import { writeSync } from 'node:fs'

type NodeError = NodeJS.ErrnoException

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeError).code === code
}

/** Sleeps synchronously: `write` below must not return before everything is written. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/**
 * Writes a text, or bytes, to a file descriptor completely before it returns.
 *
 * `process.stdout` is not used: opening it costs several milliseconds on a pipe, and it hides whether a write failed. A
 * closed pipe (`forge-memory list | head -1`) is not an error: the rest is dropped, and false is returned.
 */
export function write(descriptor: number, text: string | Uint8Array): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      // A closed pipe is EOF on Windows and EPIPE elsewhere.
      if (isCode(error, 'EPIPE') || isCode(error, 'EOF')) return false
      if (!isCode(error, 'EAGAIN')) throw error
      pause(2)
    }
  }
  return true
}
