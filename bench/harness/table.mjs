// Results as a table for people, and as the page that is kept with the code.
import { sizeName } from './command.mjs'
import { describeTarget, formatNumber } from './row.mjs'

const HEADINGS = ['measure', 'what', 'size', 'ours', 'reference', 'ratio', 'target', 'met']

function cells(row) {
  const reference = row.reference ? `${row.reference.name}: ${formatNumber(row.reference.value, row.unit)}` : ''
  return [
    row.measure,
    row.note ? `${row.what} (${row.note})` : row.what,
    row.size ? sizeName(row.size) : '',
    formatNumber(row.ours, row.unit),
    reference,
    formatRatio(row.ratio),
    describeTarget(row.target, row.unit),
    row.met === undefined ? '' : row.met ? 'yes' : 'NO',
  ]
}

function formatRatio(ratio) {
  if (ratio === undefined) return ''
  const short = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2))
  return ratio < 0.5 ? `1/${short(1 / ratio)}` : `${short(ratio)}x`
}

export function plainTable(rows) {
  const lines = [HEADINGS, ...rows.map(cells)]
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const draw = (line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd()
  return [
    draw(HEADINGS),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...rows.map((row) => draw(cells(row))),
  ].join('\n')
}

function markdownTable(rows) {
  const draw = (line) => `| ${line.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [draw(HEADINGS), draw(HEADINGS.map(() => '---')), ...rows.map((row) => draw(cells(row)))].join('\n')
}

export function resultsPage({ machine, rows, skipped }) {
  const judged = rows.filter((row) => row.met !== undefined)
  const met = judged.filter((row) => row.met).length
  const facts = {
    Processor: `${machine.processor}, ${machine.cores} cores`,
    Memory: `${machine.memoryGiB} GiB`,
    System: machine.system,
    Node: machine.node,
    Rust: machine.rust,
    Commit: machine.commit,
    Date: machine.date,
    'Load average': `${machine.loadBefore.toFixed(1)} at the start, ${machine.loadAfter.toFixed(1)} at the end`,
    Command: `\`${machine.command}\``,
  }
  return `# Benchmark results

Written by \`bench/run.mjs\`; what each measure does is in [README.md](README.md).

${Object.entries(facts)
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}

Each number is the median over several rounds, in which the package and its references take turns, each in a fresh
process. Times of calls are processor time (user and system, all threads), because other work on the machine lengthens the
clock; "typical" is the mean of the middle half of the calls. Times of whole processes are on the clock: the minimum counts.
Compare ratios between runs, not times.

${met} of ${judged.length} targets met.

${markdownTable(rows)}
${skipped.length === 0 ? '' : `\nNot measured:\n\n${skipped.map((line) => `- ${line}`).join('\n')}\n`}`
}
