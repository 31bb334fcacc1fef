// A record as Markdown that a person edits: front matter in YAML for the fields, the text below it.
import { parseDocument, stringify } from 'yaml'
import { isObject } from '../shared/json.js'
import { messageOf } from '../shared/problem.js'
import { Failure } from './failure.js'

/** The fields that can be edited. */
export interface Editable {
  type: string
  tags: string[]
  confidence: number
  expires: string | null
  body: string
}

export type Changes = { type?: string; tags?: string[]; confidence?: number; expiresAt?: string; body?: string }

const FENCE = '---'
const HEAD = '# Save and close to store a revision; without a change, nothing is stored.'

export function writeDraft({ body, ...fields }: Editable): string {
  const form = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0, blockQuote: false } as const
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${stringify(value, form).trim()}`)
  return [FENCE, HEAD, ...lines, FENCE, body, ''].join('\n')
}

/** Reads a draft, and returns the changes in it. Throws `INVALID_INPUT` where the front matter is broken. */
export function readDraft(text: string, before: Editable): Changes {
  const { head, body } = parted(text)
  const fields = readFields(head)
  const changes: Changes = {}
  const type = textOf(fields, 'type')
  if (type !== undefined && type !== before.type) changes.type = type
  const tags = tagsOf(fields)
  if (tags !== undefined && tags.join('\n') !== before.tags.join('\n')) changes.tags = tags
  const confidence = numberOf(fields, 'confidence')
  if (confidence !== undefined && confidence !== before.confidence) changes.confidence = confidence
  const expires = expiresOf(fields, before)
  if (expires !== undefined) changes.expiresAt = expires
  if (body !== before.body.trim()) changes.body = body
  return changes
}

function parted(text: string): { head: string; body: string } {
  const lines = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  const end = lines.indexOf(FENCE, 1)
  if (lines[0] !== FENCE || end < 0) throw broken(`expected the fields between two lines of ${FENCE}`)
  return {
    head: lines.slice(1, end).join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}

function readFields(head: string): Map<string, unknown> {
  const document = parseDocument(head, { schema: 'core', stringKeys: true })
  const [error] = document.errors
  if (error !== undefined) throw broken(messageOf(error).split('\n')[0] ?? '')
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  if (!isObject(value)) throw broken('expected fields such as type: lesson')
  const fields = new Map(Object.entries(value))
  const unknown = [...fields.keys()].find((name) => !['type', 'tags', 'confidence', 'expires'].includes(name))
  if (unknown !== undefined) throw broken(`unknown field ${unknown}: expected type, tags, confidence or expires`)
  return fields
}

function textOf(fields: Map<string, unknown>, name: string): string | undefined {
  const value = fields.get(name)
  if (value === undefined || typeof value === 'string') return value
  throw broken(`${name}: expected a text`)
}

function numberOf(fields: Map<string, unknown>, name: string): number | undefined {
  const value = fields.get(name)
  if (value === undefined || typeof value === 'number') return value
  throw broken(`${name}: expected a number`)
}

function tagsOf(fields: Map<string, unknown>): string[] | undefined {
  const value = fields.get('tags')
  if (value === undefined) return undefined
  if (value === null) return []
  if (!Array.isArray(value)) throw broken('tags: expected a list')
  return value.map(String)
}

function expiresOf(fields: Map<string, unknown>, before: Editable): string | undefined {
  const value = fields.has('expires') ? fields.get('expires') : before.expires
  if (value === before.expires) return undefined
  if (typeof value === 'string') return value
  throw broken('expires: expected an ISO date; an expiry can be moved, but not removed')
}

function broken(what: string): Failure {
  return new Failure('INVALID_INPUT', `the front matter of the draft cannot be read: ${what}`)
}
