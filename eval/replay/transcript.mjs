// Converts a Claude Code transcript to a session: its tool calls, with the outcomes of commands.
import { readFileSync } from 'node:fs'

const OUTPUT_MAX = 20_000

/** Reads the steps of a transcript; invalid lines are skipped. */
export function readTranscript(path) {
  const steps = []
  const byCall = new Map()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    for (const part of partsOf(line)) {
      if (part?.type === 'tool_use') {
        const step = stepOf(part)
        if (step === undefined) continue
        steps.push(step)
        byCall.set(part.id, step)
      } else if (part?.type === 'tool_result' && part.is_error === true) {
        const step = byCall.get(part.tool_use_id)
        if (step?.run !== undefined) steps.push({ fail: step.run, says: textOf(part.content), tell: [] })
      }
    }
  }
  return steps
}

function partsOf(line) {
  try {
    const { message } = JSON.parse(line)
    return Array.isArray(message?.content) ? message.content : []
  } catch {
    return []
  }
}

function stepOf({ name, input }) {
  if (typeof input?.command === 'string') return { run: input.command, tell: [] }
  const path = input?.file_path ?? input?.notebook_path
  if (typeof path !== 'string') return undefined
  if (name === 'Read') return { read: path, tell: [] }
  return {
    edit: path,
    old: String(input.old_string ?? ''),
    new: String(input.new_string ?? input.content ?? ''),
    tell: [],
  }
}

function textOf(content) {
  const text = Array.isArray(content) ? content.map((part) => part?.text ?? '').join('\n') : String(content ?? '')
  return text.slice(-OUTPUT_MAX)
}
