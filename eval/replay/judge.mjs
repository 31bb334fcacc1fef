// Compares injected notes with the expected ones.

const share = (part, whole) => (whole === 0 ? 1 : part / whole)

/** Computes the figures of played steps. */
export function judge(played) {
  const all = { right: 0, wrong: 0, missed: 0 }
  const exact = { right: 0, wrong: 0 }
  const negative = { steps: 0, silent: 0 }
  const byKind = {}
  const mistakes = []
  for (const { session, step, kind, notes } of played) {
    const wanted = new Set(step.tell)
    byKind[kind] ??= { steps: 0, right: 0, wrong: 0, missed: 0 }
    const own = byKind[kind]
    own.steps += 1
    for (const { key, why, isExact } of notes) {
      const isRight = wanted.delete(key)
      all[isRight ? 'right' : 'wrong'] += 1
      own[isRight ? 'right' : 'wrong'] += 1
      if (isExact) exact[isRight ? 'right' : 'wrong'] += 1
      if (!isRight) mistakes.push(`${session} ${textOf(step)}: told ${key} (${why})`)
    }
    all.missed += wanted.size
    own.missed += wanted.size
    for (const key of wanted) mistakes.push(`${session} ${textOf(step)}: did not tell ${key}`)
    if (step.tell.length === 0) {
      negative.steps += 1
      if (notes.length === 0) negative.silent += 1
    }
  }
  const times = played.map(({ ms }) => ms).sort((a, b) => a - b)
  const tokens = played.filter(({ notes }) => notes.length > 0).map((each) => each.tokens)
  return {
    steps: played.length,
    precision: share(all.right, all.right + all.wrong),
    recall: share(all.right, all.right + all.missed),
    exactPrecision: share(exact.right, exact.right + exact.wrong),
    silence: share(negative.silent, negative.steps),
    negativeSteps: negative.steps,
    tokensMean: tokens.length === 0 ? 0 : tokens.reduce((sum, each) => sum + each, 0) / tokens.length,
    tokensMax: Math.max(0, ...tokens),
    msP50: times[Math.floor(times.length / 2)] ?? 0,
    msP99: times[Math.floor(times.length * 0.99)] ?? 0,
    byKind,
    mistakes,
  }
}

export function failedGates(figures, gates) {
  return ['exactPrecision', 'precision', 'silence'].filter((name) => figures[name] < gates[name])
}

const textOf = ({ edit, read, run, fail }) => edit ?? read ?? run ?? fail
