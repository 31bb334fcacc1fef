// The figures for people.
import { WAYS } from './ways/index.mjs'

const share = (value) =>
  value
    .toFixed(3)
    .replace(/^0/, '')
    .replace(/^1\.000$/, '1.00')
const titleOf = (way) => WAYS[way] ?? way

/** Lays out the rows of a set; `part` is `tuning`, `held`, or nothing for all questions. */
function rowsOf({ rows }, part) {
  return rows.map((row) => {
    const figures = part === undefined ? row : row.parts[part]
    const [low, high] = figures.intervals.ndcg10
    const values = [figures.recall1, figures.recall5, figures.recall10, figures.mrr, figures.ndcg10].map(share)
    return [titleOf(row.way), ...values, `${share(low)} to ${share(high)}`]
  })
}

const HEAD = ['way', 'recall@1', 'recall@5', 'recall@10', 'MRR', 'nDCG@10', '95 %']

/** Returns the page of a run: for each set a table of all questions, one of those held back, one per kind. */
export function pageOf(results) {
  return results.map(sectionOf).join('\n')
}

function sectionOf(result) {
  const { title, rows } = result
  const lines = [`**${title}**`, '', ...tableOf(HEAD, rowsOf(result))]
  if (rows[0]?.parts !== undefined) {
    lines.push('', `The ${rows[0].parts.held.questions} held back:`, '', ...tableOf(HEAD, rowsOf(result, 'held')))
  }
  if (rows[0]?.kinds !== undefined) lines.push('', 'nDCG@10 by kind of question:', '', ...kindTable(rows))
  if (rows[0]?.nothing.questions > 0) lines.push('', ...nothingTable(rows))
  return `${lines.join('\n')}\n`
}

function kindTable(rows) {
  const kinds = Object.entries(rows[0].kinds).filter(([, figures]) => figures.ndcg10 !== undefined)
  const head = ['kind', 'questions', ...rows.map(({ way }) => way)]
  return tableOf(
    head,
    kinds.map(([kind, { questions }]) => [
      kind,
      String(questions),
      ...rows.map((row) => share(row.kinds[kind].ndcg10)),
    ]),
  )
}

function nothingTable(rows) {
  const head = ['way', 'nothing, rightly', 'or marked weak', 'nothing, wrongly', 'weak, wrongly']
  const { questions } = rows[0].nothing
  const body = rows.map(({ way, nothing }) => {
    const { silent, silentOrWeak, wronglySilent, wronglyWeak } = nothing
    return [titleOf(way), ...[silent, silentOrWeak, wronglySilent, wronglyWeak].map(share)]
  })
  return [`The ${questions} questions that nothing answers:`, '', ...tableOf(head, body)]
}

function tableOf(head, body) {
  const widths = head.map((cell, at) => Math.max(...[head, ...body].map((row) => row[at].length), cell.length))
  const line = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)]
}

/** Lists the questions of each way whose answer is not among the first ten. */
export function failuresOf(results) {
  const lines = []
  for (const { name, rows } of results) {
    for (const { way, details } of rows) {
      const failed = details.filter(({ recall10 }) => recall10 !== undefined && recall10 < 1)
      lines.push('', `${name}, ${way}: ${failed.length} of ${details.length}`)
      for (const { id, kind, text, answers, first, mrr } of failed) {
        const rank = mrr > 0 ? `rank ${Math.round(1 / mrr)}` : 'not found'
        lines.push(
          `  ${id} [${kind ?? '-'}] ${text}`,
          `      ${rank}; wanted ${answers.join(' ')}; first ${first.join(' ')}`,
        )
      }
    }
  }
  return `${lines.join('\n')}\n`
}
