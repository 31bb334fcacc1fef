// What is said beside the text of a thought that a store answers: the same for a terminal, for agents and for programs.
import { ageOf } from './age.js'
import { type CameFrom, cameFrom, claimOf } from './came-from.js'
import { shortId } from './identity.js'
import { OVER } from './marks.js'

/** What is told of it. */
interface ToldThought extends CameFrom {
  id: string
  type: string
  content: string
  source: string
  createdAt: string
  createdBy?: string
  weak?: boolean
  over?: boolean
  /** Ids. */
  contradictedBy?: string[]
}

/** Who said it. The source of a person's record is `you` where they wrote it; from a store it is their name. */
export function sourceOf({ source, createdBy }: ToldThought): string {
  return source === 'you' ? (createdBy ?? source) : source
}

/** Where it comes from, and why it is to be doubted. */
export function doubtsOf(hit: ToldThought): string[] {
  const { weak, over, contradictedBy = [] } = hit
  const marks = [...(weak ? ['weak match'] : []), ...(over ? [OVER] : [])]
  return [
    ...cameFrom(hit),
    ...claimOf(hit),
    ...marks,
    ...contradictedBy.map((rival) => `contradicted by ${shortId(rival)}`),
  ]
}

/** Renders it for an agent: its text, where it is from or who said it, its age, its id, and its doubts. */
export function thoughtLine(hit: ToldThought, ...origins: string[]): string {
  const facts = [...origins, ageOf(hit.createdAt), shortId(hit.id), ...doubtsOf(hit)].filter((fact) => fact !== '')
  return `[${hit.type}] ${hit.content} (${facts.join(', ')})`
}
