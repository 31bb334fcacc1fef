import { z } from 'zod'
import { cleanText, type FramedNotes, frameNotes, type RecallHit } from '../../native.js'
import { cutTo } from '../../shared/line.js'

/** How many characters of a text programs get; the agent's text has its own budget. */
const TEXT_LENGTH = 500
const CHARS_A_TOKEN = 4
/** As many as a record may be given; a file by another hand may have any number. */
export const TAGS_MAX = 32

export const budgetField = z
  .number()
  .int()
  .min(100)
  .max(100_000)
  .optional()
  .describe('How many tokens the answer may take (default: 2000). What does not fit is counted at its end.')

export const noteSchema = z.object({
  id: z.string(),
  type: z.string(),
  scope: z.string(),
  text: z.string(),
  truncated: z.boolean().describe('True when the text is longer than what is given here.'),
  confidence: z.number(),
  tags: z.array(z.string()),
  source: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
})

export const notesSchema = z.object({
  notes: z.array(noteSchema),
  shown: z.number().int().describe('How many notes the text has.'),
  total: z.number().int().describe('The total number, including those that are not shown.'),
  message: z.string().optional(),
})

export type Note = z.infer<typeof noteSchema>
export type Notes = z.infer<typeof notesSchema>

/** A record as programs get it. */
export function noteOf(hit: RecallHit): Note {
  const { id, type, scope, confidence, tags, source, createdAt, expiresAt } = hit
  return {
    id,
    type,
    scope,
    ...textForPrograms(hit.text),
    confidence,
    tags: tags.slice(0, TAGS_MAX),
    source,
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

/** An answer of recalled notes, framed and within its budget. */
export function answerWith(
  hits: RecallHit[],
  lines: string[],
  {
    budget,
    message,
    total = hits.length,
  }: { budget: number | undefined; message?: string | undefined; total?: number },
): { text: string; structured: Notes } {
  const told = message === undefined ? {} : { message }
  if (hits.length === 0) {
    return { text: message ?? 'No memories found.', structured: { notes: [], shown: 0, total: 0, ...told } }
  }
  const framed = frameWithin(lines, budget)
  const text = message === undefined ? framed.text : `${framed.text}${message}\n`
  const notes = hits.slice(0, framed.shown).map(noteOf)
  return { text, structured: { notes, shown: framed.shown, total, ...told } }
}

export function frameWithin(lines: string[], budget: number | undefined): FramedNotes {
  return frameNotes(lines, budget === undefined ? {} : { budget })
}

/** As many lines from the first on as fit into a budget of tokens: for answers that are no recalled notes. */
export function fitLines(lines: string[], budget = 2000): { lines: string[]; shown: number } {
  let room = budget * CHARS_A_TOKEN
  const end = lines.findIndex((line) => {
    room -= quartersOf(line) + 1
    return room < 0
  })
  const fitting = end < 0 ? lines : lines.slice(0, end)
  return { lines: fitting, shown: fitting.length }
}

/** The text of such an answer; its last line says what was cut. */
export function fitText(lines: string[], budget = 2000): string {
  const { lines: fitting, shown } = fitLines(lines.map(oneLine), budget)
  const cut = shown < lines.length ? [`[${shown} of ${lines.length} lines shown; the budget is ${budget} tokens]`] : []
  return [...fitting, ...cut].join('\n')
}

function oneLine(line: string): string {
  return cutTo(cleanText(line).replaceAll('\n', ' ').trimEnd(), TEXT_LENGTH)
}

/** Tokens, times four: every character beyond ASCII is one of its own. */
function quartersOf(line: string): number {
  return line.replace(/[^ -~]/gu, 'four').length
}

/** A stored text as programs get it: without what steers a terminal, and not longer than of use. */
export function textForPrograms(stored: string): { text: string; truncated: boolean } {
  const whole = cleanText(stored)
  const text = cutTo(whole, TEXT_LENGTH)
  return { text, truncated: text.length < whole.length }
}
