/**
 * Returns what a mistyped word may have meant, the nearest choices first found: those that differ in the fewest letters, and in at
 * most a third of them. A word that resembles none is left without a guess.
 */
export function nearest(word: string, choices: Iterable<string>): string[] {
  const letters = lettersOf(word)
  let found: string[] = []
  let fewest = Number.POSITIVE_INFINITY
  for (const choice of new Set(choices)) {
    const others = lettersOf(choice)
    const distance = distanceOf(letters, others)
    if (distance > Math.max(letters.length, others.length) / 3 || distance > fewest) continue
    found = distance < fewest ? [choice] : [...found, choice]
    fewest = distance
  }
  return found
}

/** Without the dashes before an option, which every option has. */
function lettersOf(word: string): string[] {
  return [...word.replace(/^-+/, '').toLowerCase()]
}

/** A question for a hint; undefined where nothing is near. */
export function didYouMean(word: string, choices: Iterable<string>): string | undefined {
  const found = nearest(word, choices)
  return found.length === 0 ? undefined : `did you mean ${found.join(' or ')}?`
}

/** How many letters have to be added, left out, replaced or exchanged with their neighbour. */
function distanceOf(one: string[], other: string[]): number {
  let beforeLast: number[] = []
  let last = [...other.keys(), other.length]
  for (const [row, letter] of one.entries()) {
    const current = [row + 1]
    for (const [column, against] of other.entries()) {
      const replaced = (last[column] ?? 0) + (letter === against ? 0 : 1)
      const costs = [replaced, (last[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1]
      const isExchanged = row > 0 && column > 0 && letter === other[column - 1] && against === one[row - 1]
      if (isExchanged) costs.push((beforeLast[column - 1] ?? 0) + 1)
      current.push(Math.min(...costs))
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? one.length
}
