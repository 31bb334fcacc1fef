// One set, all wanted ways: what each found, judged.
import { intervalsOf } from './chance.mjs'
import { judge, mean, meansOf } from './quality.mjs'
import { prepareWays, WAYS } from './ways/index.mjs'

/** Kinds of questions that have no answer; for them an empty list is the right one. */
export const isUnanswerable = ({ answers }) => Object.keys(answers).length === 0

/**
 * Returns `{ name, title, rows }`: for each way the means with their intervals, over all questions and over the parts `tuning` and
 * `held`, and per kind. `withQuestions` adds the judgement of each question; of those held back only with `withHeld`.
 */
export async function evaluateSet(set, options) {
  const rows = []
  for await (const { way, ask } of prepareWays(set, options)) {
    const asked = await askAll(set, ask, (done) => options.progress(`${set.name}, ${way}`, done, set.questions.length))
    rows.push(rowOf(way, asked, options))
  }
  const order = Object.keys(WAYS)
  rows.sort((a, b) => order.indexOf(a.way) - order.indexOf(b.way))
  return { name: set.name, title: set.title, rows }
}

async function askAll(set, ask, progress) {
  const asked = []
  for (const [at, question] of set.questions.entries()) {
    const { ids: found, isWeak } = await ask(question.text, at)
    const ids = unitsOf(set, found)
    const isSilent = ids.length === 0
    asked.push({ question, ids, isSilent, isWeak, ...(isUnanswerable(question) ? {} : judge(ids, question.answers)) })
    progress(at + 1)
  }
  return asked
}

/** What the answers are: the hits, or what each of them is a part of, at the place of its first part. */
const unitsOf = ({ unitOf }, ids) => (unitOf === undefined ? ids : [...new Set(ids.map(unitOf))])

function rowOf(way, asked, { withQuestions, withHeld }) {
  const row = { way, ...figuresOf(asked) }
  if (asked.some(({ question }) => question.held)) {
    row.parts = {
      tuning: figuresOf(asked.filter(({ question }) => !question.held)),
      held: figuresOf(asked.filter(({ question }) => question.held)),
    }
  }
  if (asked[0].question.kind !== undefined) row.kinds = kindsOf(asked)
  if (withQuestions) row.details = asked.filter(({ question }) => withHeld || !question.held).map(detailOf)
  return row
}

function figuresOf(asked) {
  const answerable = asked.filter(({ question }) => !isUnanswerable(question))
  const figures = { questions: answerable.length, ...meansOf(answerable), intervals: intervalsOf(answerable) }
  return { ...figures, nothing: nothingOf(asked) }
}

/** How often nothing was answered, or marked as doubtful: rightly, and where there was an answer. */
function nothingOf(asked) {
  const share = (list, of) => mean(list.map((each) => (of(each) ? 1 : 0)))
  const unanswerable = asked.filter(({ question }) => isUnanswerable(question))
  const answerable = asked.filter(({ question }) => !isUnanswerable(question))
  return {
    questions: unanswerable.length,
    silent: share(unanswerable, ({ isSilent }) => isSilent),
    silentOrWeak: share(unanswerable, ({ isSilent, isWeak }) => isSilent || isWeak),
    wronglySilent: share(answerable, ({ isSilent }) => isSilent),
    wronglyWeak: share(answerable, ({ isWeak }) => isWeak),
  }
}

function kindsOf(asked) {
  const kinds = [...new Set(asked.map(({ question }) => question.kind))].sort()
  const of = (kind) => asked.filter(({ question }) => question.kind === kind)
  return Object.fromEntries(kinds.map((kind) => [kind, kindFigures(of(kind))]))
}

function kindFigures(list) {
  if (isUnanswerable(list[0].question)) {
    const { questions, silent, silentOrWeak } = nothingOf(list)
    return { questions, silent, silentOrWeak }
  }
  return { questions: list.length, ...meansOf(list) }
}

function detailOf({ question, ids, isSilent, isWeak, ...judged }) {
  const { id, kind, text, answers, held } = question
  const detail = {
    id,
    kind,
    text,
    answers: Object.keys(answers),
    held: held === true,
    first: ids.slice(0, 3),
    isSilent,
    isWeak,
  }
  return { ...detail, ...judged }
}
