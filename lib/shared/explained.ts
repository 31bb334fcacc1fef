import type { RecallHit } from '../native.js'

/** Explains the parts of the score and of the confidence of a hit, if the hit has an explanation. docs/truth.md has the formulas. */
export function explanationOf({ score, explained }: RecallHit): string[] {
  if (explained === undefined) return []
  const { words, context, feedback, freshness, useful, wrong, confirmations, confidence } = explained
  const of = (factor: number) => factor.toFixed(3)
  const found = context === 0 ? `words ${of(words)}` : `(words ${of(words)} + session ${of(context)})`
  const counts = `useful ${useful}, wrong ${wrong}, confirmed ${confirmations}`
  const parts = `supported ${of(confidence.supported)} x wrong ${of(confidence.wrong)} x drift ${of(confidence.drift)} x age ${of(confidence.age)}`
  return [
    `score ${of(score)} = ${found} x feedback ${of(feedback)} x freshness ${of(freshness)} (${counts})`,
    `confidence ${of(confidence.now)} = ${parts}, stored with ${of(confidence.base)}`,
  ]
}
