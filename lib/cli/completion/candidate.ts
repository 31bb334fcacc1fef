/** A word that may come next. */
export interface Candidate {
  value: string
  /** One line, without control characters. */
  about: string
}
