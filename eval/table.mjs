// The figures for people.
import { wide } from './page.mjs'
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

/**
 * Returns the page of a run: for each set a table of all questions, one of those held back, one per kind. Columns are as wide as their
 * cells for a terminal (`tableOf` is `wide`), or as short as can be for a page.
 */
export function pageOf(results, tableOf = wide) {
  return results.map((result) => sectionOf(result, tableOf)).join('\n')
}

function sectionOf(result, tableOf) {
  const { title, rows } = result
  const lines = [`**${title}**`, '', ...tableOf(HEAD, rowsOf(result))]
  if (rows[0]?.parts !== undefined) {
    lines.push('', `The ${rows[0].parts.held.questions} held back:`, '', ...tableOf(HEAD, rowsOf(result, 'held')))
  }
  if (rows[0]?.kinds !== undefined) lines.push('', 'nDCG@10 by kind of question:', '', ...kindTable(result, tableOf))
  if (rows[0]?.nothing.questions > 0) lines.push('', ...nothingTable(result, tableOf))
  return `${lines.join('\n')}\n`
}

function kindTable({ name, rows }, tableOf) {
  const kinds = Object.entries(rows[0].kinds).filter(([, figures]) => figures.ndcg10 !== undefined)
  const head = [`kind (${name})`, 'questions', ...rows.map(({ way }) => way)]
  return tableOf(
    head,
    kinds.map(([kind, { questions }]) => [
      kind,
      String(questions),
      ...rows.map((row) => share(row.kinds[kind].ndcg10)),
    ]),
  )
}

function nothingTable({ name, rows }, tableOf) {
  const head = ['way', 'rightly', 'or weak', 'wrongly', 'weak, wrongly']
  const { questions } = rows[0].nothing
  const body = rows.map(({ way, nothing }) => {
    const { silent, silentOrWeak, wronglySilent, wronglyWeak } = nothing
    return [titleOf(way), ...[silent, silentOrWeak, wronglySilent, wronglyWeak].map(share)]
  })
  const of = `the ${questions} questions of \`${name}\` that nothing answers`
  return [`Nothing found (or marked as weak): rightly for ${of}, wrongly for the others:`, '', ...tableOf(head, body)]
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
