const percent = (value) => `${(value * 100).toFixed(1)} %`
const whole = (value) => String(Math.round(value))

/** Renders the figures as a table. */
export function tableOf(figures, sessions) {
  const rows = [
    ['sessions', sessions],
    ['steps', figures.steps],
    ['steps with nothing to tell', figures.negativeSteps],
    ['precision', percent(figures.precision)],
    ['precision on exact paths and commands', percent(figures.exactPrecision)],
    ['recall', percent(figures.recall)],
    ['silence where there is nothing to tell', percent(figures.silence)],
    ['tokens of what was told, mean', whole(figures.tokensMean)],
    ['tokens of what was told, most', whole(figures.tokensMax)],
    ['a hook process, p50', `${whole(figures.msP50)} ms`],
    ['a hook process, p99', `${whole(figures.msP99)} ms`],
    ...Object.entries(figures.byKind).map(([kind, { steps, right, wrong, missed }]) => [
      `${kind}: ${steps} steps`,
      `${right} right, ${wrong} wrong, ${missed} missed`,
    ]),
  ].map(([name, value]) => [name, String(value)])
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}
