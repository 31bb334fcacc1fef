/** Words that show the type of a text. The first that occurs decides. */
const SIGNS: [type: string, words: RegExp][] = [
  ['decision', /\b(?:we (?:use|chose|decided|agreed|deploy)|decided|instead of|chose|settled)\b/i],
  ['convention', /\b(?:always|never|must|named|every (?:test|file|branch|commit|handler))\b/i],
  ['gotcha', /\b(?:fails?|breaks?|hangs?|leaks?|crash(?:es)?|beware|careful|locks?|missing|flaky)\b/i],
]

/** Suggests a type for a text that came without one, which the user may change. */
export function suggestType(text: string): string {
  return SIGNS.find(([, words]) => words.test(text))?.[0] ?? 'lesson'
}
