/** Turns texts into vectors of unit length. */
export interface Embedder {
  /** Names the space that the vectors live in: vectors of different models cannot be compared. */
  readonly model: string
  /** The length of its vectors; the first call may have to ask. */
  dimensions(): Promise<number>
  embed(texts: string[]): Promise<Float32Array[]>
  /** Lets go of what it holds, where it holds something. */
  close?(): void
}
