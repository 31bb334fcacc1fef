// The pieces of long texts. An embedding model reads the beginning of a text only, so that each piece behind the first has a vector of its own, and a
// text is as near as the nearest of them, as in `recall`. The vector of the text itself stands for its first piece: earlier releases know no other.
import { passagesOf } from '../../native.js'
import type { StoreFailure } from '../failure.js'
import type { Embedder } from './embedder.js'
import { embedEach } from './isolated.js'

/** How many pieces are embedded together with the texts of a delivery; more are computed later. */
export const PIECES_AT_ONCE = 64
/** A text with no more bytes is one piece. */
export const LONG_FROM = 240

export interface Text {
  id: string
  content: string
}

/** The vectors of a text behind the first piece; none when it is no longer than that. */
export interface Pieces {
  id: string
  vectors: Float32Array[]
}

/** How many texts got vectors of pieces, and how many were cut. */
export const EMPTY = { made: 0, tried: 0 }

export const countLong = (made: Pieces[]) => made.filter(({ vectors }) => vectors.length > 0).length

/** Those of the texts that may be long and are one piece. */
export function ofOnePiece(texts: Text[]): Pieces[] {
  const short = texts.filter((text) => mayBeLong(text) && passagesOf(text.content).length <= 1)
  return short.map(({ id }) => ({ id, vectors: [] }))
}

interface Cut {
  id: string
  pieces: string[]
}

export const mayBeLong = ({ content }: Text) => Buffer.byteLength(content) > LONG_FROM

/** Cuts texts, as many of them as have about `limit` pieces together, and at least one. */
function cut(texts: Text[], limit: number): Cut[] {
  const found: Cut[] = []
  let count = 0
  for (const { id, content } of texts) {
    if (count >= limit) break
    const pieces = passagesOf(content).slice(1)
    found.push({ id, pieces })
    count += Math.max(pieces.length, 1)
  }
  return found
}

/** Embeds the pieces of texts, about `limit` of them. A text of which one is refused has none. */
export async function embedPieces(
  embedder: Embedder,
  texts: Text[],
  limit: number,
): Promise<{ made: Pieces[]; refused: Map<string, string> }> {
  const found = cut(texts, limit)
  const vectors = await embedEach(
    embedder,
    found.flatMap(({ pieces }) => pieces),
  )
  const made: Pieces[] = []
  const refused = new Map<string, string>()
  let from = 0
  for (const { id, pieces } of found) {
    const own = vectors.slice(from, from + pieces.length)
    from += pieces.length
    const failed = own.find((one): one is StoreFailure => !(one instanceof Float32Array))
    if (failed === undefined) made.push({ id, vectors: own as Float32Array[] })
    else refused.set(id, failed.message)
  }
  return { made, refused }
}
