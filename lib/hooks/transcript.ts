import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The most of a transcript that one call reads: what is older was there for the calls before. */
const BYTES_MAX = 4 * 1024 * 1024

/** What an agent said since the last look, and where the next look begins. */
export interface Said {
  texts: string[]
  next: number
}

/**
 * Reads what the agent itself said in a transcript since an offset: no user, no tool output. A line that is not whole yet
 * is left for the next look.
 */
export function readSaid(path: string, since: number): Said {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    // A shorter file is another one.
    const start = Math.max(since <= size ? since : 0, size - BYTES_MAX)
    const bytes = Buffer.alloc(size - start)
    const read = readSync(file, bytes, 0, bytes.length, start)
    const end = bytes.lastIndexOf(10, read - 1) + 1
    const lines = bytes.toString('utf8', 0, end).split('\n')
    return { texts: lines.flatMap(textsOf), next: start + end }
  } finally {
    closeSync(file)
  }
}

/**
 * Claude Code: `{type: 'assistant', message: {content}}`; Copilot: `{type: 'assistant.message', data: {content}}`; Cursor
 * and others: `{role: 'assistant', content}`.
 */
function textsOf(line: string): string[] {
  if (!line.includes('assistant')) return []
  try {
    const entry = JSON.parse(line) as { type?: string; message?: unknown; data?: unknown }
    const message = (entry.message ?? entry.data ?? entry) as { role?: string; content?: unknown }
    if (!/^assistant(\.message)?$/.test(entry.type ?? '') && message.role !== 'assistant') return []
    const { content } = message
    if (typeof content === 'string') return [content]
    if (!Array.isArray(content)) return []
    return content.flatMap((part) => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
  } catch {
    return []
  }
}
