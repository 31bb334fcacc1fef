import { z } from 'zod'
import { cleanText, type FramedNotes, frameNotes, type RecallHit } from '../../native.js'
import { given } from '../../shared/given.js'
import { cutTo } from '../../shared/line.js'

/** The maximum text length in structured content; the text for the agent has its own token budget. */
const TEXT_LENGTH = 500
const CHARS_A_TOKEN = 4
/** The limit of the engine; a file that another tool wrote may exceed it. */
export const TAGS_MAX = 32

export const budgetField = z
  .number()
  .int()
  .min(100)
  .max(100_000)
  .optional()
  .describe('Maximum tokens of the answer (default 2000).')

const relatedSchema = z.object({ id: z.string(), text: z.string(), createdAt: z.string(), rule: z.string() })
const relatedListSchema = z.array(relatedSchema).optional()

const explanationSchema = z.object({
  words: z.number(),
  context: z.number(),
  feedback: z.number(),
  freshness: z.number(),
  useful: z.number().int(),
  wrong: z.number().int(),
  confirmations: z.number().int(),
  confidence: z.object({
    base: z.number(),
    supported: z.number(),
    wrong: z.number(),
    drift: z.number(),
    age: z.number(),
    now: z.number(),
  }),
})

export const noteSchema = z.object({
  id: z.string(),
  type: z.string(),
  scope: z.string(),
  text: z.string(),
  truncated: z.boolean().describe('True when the text is longer than what is given here.'),
  confidence: z.number(),
  tags: z.array(z.string()),
  source: z.string(),
  author: z.enum(['person', 'agent', 'import', 'watcher']).optional(),
  createdAt: z.string(),
  expiresAt: z.string().optional(),
  score: z
    .number()
    .optional()
    .describe(
      'Relevance; larger is better. From 0 to 1 when searched by words and meaning, and more in a session about the query.',
    ),
  cosine: z.number().optional().describe('Similarity in meaning, when it was computed.'),
  matched: z.array(z.string()).optional().describe('The words of the query that it contains.'),
  weak: z.boolean().optional().describe('True when it may be irrelevant.'),
  freshness: z
    .object({ state: z.enum(['unchanged', 'renamed', 'changed', 'gone']), why: z.string(), checkedAt: z.string() })
    .optional()
    .describe('The current state of the files and commands that the note names.'),
  explained: explanationSchema.optional().describe('The factors of the score and of the confidence.'),
  elsewhere: z
    .object({ said: z.string(), folder: z.string() })
    .optional()
    .describe('The other worktree in which it is, and not committed yet.'),
  contradictedBy: relatedListSchema.describe('Current records that contradict it, newest first.'),
  supersedes: relatedListSchema.describe('Records that it has retired.'),
})

export const teamSchema = z
  .array(
    z.object({
      id: z.string(),
      text: z.string(),
      project: z.string(),
      type: z.string(),
      author: z.string(),
      createdAt: z.string(),
      contradictedBy: z.array(z.string()).optional(),
    }),
  )
  .optional()
  .describe('What colleagues stored, from the shared store.')

export const notesSchema = z.object({
  notes: z.array(noteSchema),
  shown: z.number().int().describe('How many notes the text has.'),
  total: z.number().int().describe('The total number, including those that are not shown.'),
  message: z.string().optional(),
})

export type Note = z.infer<typeof noteSchema>
export type Notes = z.infer<typeof notesSchema>

/** Converts a hit to structured content. */
export function noteOf(hit: RecallHit): Note {
  const { id, type, scope, confidence, tags, source, author, createdAt, expiresAt, freshness, explained } = hit
  return {
    id,
    type,
    scope,
    ...textForPrograms(hit.text),
    confidence,
    tags: tags.slice(0, TAGS_MAX),
    source,
    ...given({ author }),
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...evidenceOf(hit),
    ...(freshness === undefined ? {} : { freshness }),
    ...given({
      elsewhere: hit.elsewhere,
      explained,
      contradictedBy: relatedOf(hit.contradictedBy),
      supersedes: relatedOf(hit.supersedes),
    }),
  }
}

/** The ranking facts of a hit; entries of a list have none, because a list has no query. */
function evidenceOf({ score, cosine, matched, weak }: RecallHit) {
  return score === 0 ? {} : given({ score, cosine, matched: matched.slice(0, TAGS_MAX), weak })
}

function relatedOf(list: RecallHit['supersedes']) {
  return list?.map(({ id, text, createdAt, rule }) => ({ id, text: textForPrograms(text).text, createdAt, rule }))
}

/** Renders recalled notes: framed as untrusted data, and within a token budget. */
export function answerWith(
  hits: RecallHit[],
  lines: string[],
  {
    budget,
    message,
    total = hits.length,
  }: { budget: number | undefined; message?: string | undefined; total?: number },
): { text: string; structured: Notes } {
  const optionalMessage = message === undefined ? {} : { message }
  if (hits.length === 0) {
    return { text: message ?? 'No memories found.', structured: { notes: [], shown: 0, total: 0, ...optionalMessage } }
  }
  const framed = frameWithin(lines, budget)
  const text = message === undefined ? framed.text : `${framed.text}${message}\n`
  const notes = hits.slice(0, framed.shown).map(noteOf)
  return { text, structured: { notes, shown: framed.shown, total, ...optionalMessage } }
}

export function frameWithin(lines: string[], budget: number | undefined): FramedNotes {
  return frameNotes(lines, budget === undefined ? {} : { budget })
}

/** Returns the lines from the first on that fit into a token budget; for answers other than recalled notes. */
export function fitLines(lines: string[], budget = 2000): { lines: string[]; shown: number } {
  let room = budget * CHARS_A_TOKEN
  const end = lines.findIndex((line) => {
    room -= quartersOf(line) + 1
    return room < 0
  })
  const fitting = end < 0 ? lines : lines.slice(0, end)
  return { lines: fitting, shown: fitting.length }
}

/** Joins lines that fit into a token budget; the last line says how many were cut. */
export function fitText(lines: string[], budget = 2000): string {
  const { lines: fitting, shown } = fitLines(lines.map(oneLine), budget)
  const cut = shown < lines.length ? [`[${shown} of ${lines.length} lines shown; the budget is ${budget} tokens]`] : []
  return [...fitting, ...cut].join('\n')
}

function oneLine(line: string): string {
  return cutTo(cleanText(line).replaceAll('\n', ' ').trimEnd(), TEXT_LENGTH)
}

/**
 * Estimates the number of tokens, times four: an ASCII character counts a quarter, every other character a whole token.
 */
function quartersOf(line: string): number {
  return line.replace(/[^ -~]/gu, 'four').length
}

/** Sanitizes and truncates stored text for structured content: no terminal control sequences, bounded length. */
export function textForPrograms(stored: string): { text: string; truncated: boolean } {
  const whole = cleanText(stored)
  const text = cutTo(whole, TEXT_LENGTH)
  return { text, truncated: text.length < whole.length }
}
