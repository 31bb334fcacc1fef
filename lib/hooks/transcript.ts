import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegular } from '../shared/regular-file.js'

/** The most of a transcript that is read at once. */
const BYTES_MAX = 4 * 1024 * 1024

/** The texts of an agent since the last read, and the offset of the next one. */
export interface AgentTexts {
  texts: string[]
  next: number
  /** Whether more follows. */
  isMore: boolean
}

/** Returns the offset of the first read of a transcript: older parts belong to earlier sessions. */
export function startOf(path: string): number {
  const file = openRegular(path)
  if (file === undefined) return 0
  try {
    return Math.max(0, fstatSync(file).size - BYTES_MAX)
  } finally {
    closeSync(file)
  }
}

/**
 * Reads what the agent itself said in a transcript from an offset on: no user, no tool output. A line that is not whole yet
 * is left for the next look. Throws when there is no such file.
 */
export function readAgentTexts(path: string, since: number): AgentTexts {
  const file = openRegular(path)
  if (file === undefined) throw new Error(`the transcript ${path} is not there`)
  try {
    const { size } = fstatSync(file)
    // A shorter file is another one.
    const start = since <= size ? since : Math.max(0, size - BYTES_MAX)
    const bytes = Buffer.alloc(Math.min(size - start, BYTES_MAX))
    const read = readSync(file, bytes, 0, bytes.length, start)
    const end = bytes.lastIndexOf(10, read - 1) + 1
    const lines = bytes.toString('utf8', 0, end).split('\n')
    // A line that fills the whole buffer is not a text of the agent.
    const next = end === 0 && read === BYTES_MAX ? start + read : start + end
    return { texts: lines.flatMap(textsOf), next, isMore: next > start && start + read < size }
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
