/** Embeds texts as vectors of unit length (L2-normalized), so that the dot product is the cosine similarity. */
export interface Embedder {
  /** Names the embedding model: vectors of different models cannot be compared. */
  readonly model: string
  /** The length of its vectors. The first call may ask the server. */
  dimensions(): Promise<number>
  embed(texts: string[]): Promise<Float32Array[]>
  /** Embeds a query, where the model tells it from a text that is searched. */
  embedQuery?(text: string): Promise<Float32Array | undefined>
  /** Releases its resources, if any. */
  close?(): void
}

/** Embeds a query, as one where the model tells it from a text. */
export async function queryVector(embedder: Embedder, text: string): Promise<Float32Array | undefined> {
  return embedder.embedQuery === undefined ? (await embedder.embed([text]))[0] : await embedder.embedQuery(text)
}
