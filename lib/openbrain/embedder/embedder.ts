/** Embeds texts as vectors of unit length (L2-normalized), so that the dot product is the cosine similarity. */
export interface Embedder {
  /** Names the embedding model: vectors of different models cannot be compared. */
  readonly model: string
  /** The length of its vectors; the first call may have to ask. */
  dimensions(): Promise<number>
  embed(texts: string[]): Promise<Float32Array[]>
  /** Releases its resources, if any. */
  close?(): void
}
