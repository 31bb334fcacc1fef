import { z } from 'zod'
import { cleanText, type FramedNotes, frameNotes, type RecallHit, type RelatedMemory } from '../../native.js'
import { given } from '../../shared/given.js'
import { cutTo } from '../../shared/line.js'
import { declared } from './declared.js'

/** The maximum text length in structured content; the text for the agent has its own token budget. */
const TEXT_LENGTH = 500
const CHARS_A_TOKEN = 4
/** The limit of the engine; a file that another tool wrote may exceed it. */
export const TAGS_MAX = 32

export const budgetField = z.number().int().min(100).max(100_000).optional().describe('Maximum tokens (default 2000).')

const related = () =>
  z
    .array(
      z.object({
        ...declared<RelatedMemory>('RelatedMemory').bare('id', 'text', 'createdAt', 'rule'),
        author: z.string().optional(),
      }),
    )
    .optional()
const hit = declared<RecallHit>('RecallHit')

const noteSchema = () =>
  z.object({
    ...hit.bare('id', 'type', 'scope', 'text', 'confidence', 'tags', 'source', 'author', 'createdAt', 'expiresAt'),
    truncated: z.boolean().describe('True when the text is longer than what is given here.'),
    score: hit.field('score').optional(),
    matched: hit.field('matched').optional(),
    ...hit.fields(
      'vouched',
      'from',
      'about',
      'claimedBy',
      'cosine',
      'weak',
      'over',
      'freshness',
      'explained',
      'worktree',
    ),
    contradictedBy: related().describe('Current records that contradict it, newest first.'),
    supersedes: related().describe('Records that it has retired.'),
  })

export const teamSchema = () =>
  z
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

export const notesSchema = () =>
  z.object({
    notes: z.array(noteSchema()),
    shown: z.number().int().describe('How many notes the text has.'),
    total: z.number().int().describe('The total number, including those that are not shown.'),
    message: z.string().optional(),
  })

export type Note = z.infer<ReturnType<typeof noteSchema>>
export type Notes = z.infer<ReturnType<typeof notesSchema>>

/** Converts a hit to structured content. */
export function noteOf(hit: RecallHit): Note {
  const { id, type, scope, confidence, source, author, createdAt, expiresAt, freshness, explained } = hit
  const [contradictedBy, supersedes] = [relatedOf(hit.contradictedBy), relatedOf(hit.supersedes)]
  return {
    ...{
      id,
      type,
      scope,
      ...textForPrograms(hit.text),
      confidence,
      tags: hit.tags.slice(0, TAGS_MAX),
      source,
      createdAt,
    },
    ...evidenceOf(hit),
    ...given({ author, vouched: hit.vouched, from: hit.from, about: hit.about, claimedBy: hit.claimedBy }),
    ...given({ expiresAt, freshness, explained, worktree: hit.worktree, contradictedBy, supersedes }),
  }
}

/** The ranking facts of a hit; entries of a list have none, because a list has no query. */
function evidenceOf({ score, cosine, matched, weak, over }: RecallHit) {
  return score === 0 ? {} : given({ score, cosine, matched: matched.slice(0, TAGS_MAX), weak, over })
}

function relatedOf(list: RecallHit['supersedes']) {
  return list?.map(({ id, text, createdAt, rule, author }) => ({
    ...{ id, text: textForPrograms(text).text, createdAt, rule },
    ...given({ author }),
  }))
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
