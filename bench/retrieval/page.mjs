// The figures as a part of docs/retrieval.md.

const BEGIN = '<!-- figures: node bench/retrieval.mjs --save -->'
const END = '<!-- end of figures -->'

const share = (value) => value.toFixed(3)

export function figuresOf(results, machine) {
  const lines = [
    `Taken with \`${machine.command}\` at commit ${machine.commit}, ${machine.date}: ${machine.processor}, ${machine.cores} cores,`,
    `${machine.system}, Node ${machine.node}.`,
    '',
  ]
  for (const { title, rows, gains } of results) {
    lines.push(
      `**${title}**`,
      '',
      '| ranking | first | in ten | in a hundred | MRR | nDCG@10 |',
      '|---|---|---|---|---|---|',
    )
    for (const row of rows) {
      const values = [row.hit1, row.recall10, row.recall100, row.mrr, row.ndcg10].map(share)
      lines.push(`| ${row.way} | ${values.join(' | ')} |`)
    }
    lines.push('')
    for (const { better, worse, gain, sureness } of gains) {
      const sign = gain > 0 ? '+' : ''
      const percent = (sureness * 100).toFixed(2)
      lines.push(
        `"${better}" against "${worse}": MRR ${sign}${gain.toFixed(3)}, better in ${percent} % of 10,000 redrawn samples.`,
      )
    }
    lines.push('')
  }
  return `${lines.join('\n').trimEnd()}\n`
}

/** Puts the figures between the two marks of a page. */
export function putFigures(page, figures) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (from < 0 || to < from) throw new Error('docs/retrieval.md has no place for figures')
  return `${page.slice(0, from + BEGIN.length)}\n\n${figures}\n${page.slice(to)}`
}
