// Plays a timeline, then asks its questions: what is first, and what is answered that holds no more.

import { join } from 'node:path'
import { groups, share } from './judge-pairs.mjs'
import { idsIn, isAsCurrent, isContradicted, Project } from './project.mjs'

const SHOWN = 10
/** The folder of the project in each branch. */
const PROJECT = 'project'

/**
 * Judges one timeline in a project of its own. With `isAnswered`, whoever captures knows what has changed, and replaces those of the offered
 * records that do not hold in the end; otherwise nobody says anything.
 */
export function judgeTimeline(library, folder, timeline, { isAnswered = false } = {}) {
  const { project, ids } = play(library, join(folder, timeline.id), timeline.events, isAnswered)
  const captures = timeline.events.filter((event) => event.text !== undefined)
  const holding = captures.filter(({ fate }) => fate === 'holds')
  const contradicted = new Set(project.conflicts().map(({ older }) => older.id))
  const idsContested = captures.filter(({ fate }) => fate === 'contested').map(({ key }) => ids.get(key))
  const idsHolding = holding.map(({ key }) => ids.get(key))
  return {
    ...timeline,
    holding: holding.length,
    wronglyMarked: holding.filter(({ key }) => contradicted.has(ids.get(key))).map(({ key }) => key),
    wronglyRetired: holding.filter(({ key, text }) => !project.isCurrent(ids.get(key), text)).map(({ key }) => key),
    answers: timeline.questions.map((question) => answer(project, question, ids, idsHolding, idsContested)),
  }
}

/** Captures on branches, and merges them. */
function play(library, folder, events, isAnswered) {
  const branches = new Map([['main', new Project(library, join(folder, 'main', PROJECT))]])
  const ids = new Map()
  for (const event of events) {
    if (event.fork) {
      branches.set(event.fork, branches.get(event.from).fork(join(folder, event.fork, PROJECT)))
    } else if (event.merge) {
      branches.get(event.into).merge(branches.get(event.merge))
    } else {
      const project = branches.get(event.branch)
      const { id, related } = project.capture({ ...fieldsOf(event, ids), related: isAnswered })
      if (isAnswered) project.replace(goneOf(related, id, events, ids), id)
      ids.set(event.key, id)
    }
  }
  return { project: branches.get('main'), ids }
}

/** The offered records that are retired in the end. */
function goneOf(related, id, events, ids) {
  const gone = events.filter(({ fate }) => fate === 'retired').map(({ key }) => ids.get(key))
  return idsIn(related).filter((other) => other !== id && gone.includes(other))
}

function fieldsOf(event, ids) {
  return {
    tool: 'eval',
    source: `eval/${event.session}`,
    createdBy: event.by,
    type: 'lesson',
    body: event.text,
    ...(event.supersedes && { supersedes: ids.get(event.supersedes) }),
  }
}

/**
 * Asks one question. `reachable` tells whether the current fact would be first if nothing that holds no more were answered: what
 * fails it is a matter of ranking.
 */
function answer(project, question, ids, idsHolding, idsContested) {
  const current = question.current.map((key) => ids.get(key))
  // A fact that is said again may have the id of the first time.
  const stale = question.notCurrent.map((key) => ids.get(key)).filter((id) => !idsHolding.includes(id))
  const hits = project.recall(question.ask, SHOWN)
  // When two branches disagree, neither statement may be presented as settled.
  const isHeldToBe = (hit) => isAsCurrent(hit, hits) && !(idsContested.includes(hit.id) && isContradicted(hit))
  const others = hits.filter(({ id }) => !stale.includes(id))
  return {
    ask: question.ask,
    isFirst: current.includes(hits[0]?.id),
    reachable: current.includes(others[0]?.id),
    stale: hits.filter((hit) => stale.includes(hit.id) && isHeldToBe(hit)).map(({ text }) => text),
    first: hits[0]?.text ?? null,
    holding: hits.filter(({ id }) => idsHolding.includes(id)).length,
    doubted: hits.filter((hit) => idsHolding.includes(hit.id) && !isAsCurrent(hit, hits)).map(({ text }) => text),
  }
}

/** Adds the results of one part up. */
export function sumTimelines(results) {
  const answers = results.flatMap((result) => result.answers.map((answer) => ({ ...answer, kind: result.kind })))
  const isGood = ({ isFirst, stale }) => isFirst && stale.length === 0
  return {
    timelines: results.length,
    questions: answers.length,
    currentFirst: share(
      answers.filter(({ isFirst }) => isFirst),
      answers,
    ),
    reachable: share(
      answers.filter(({ reachable }) => reachable),
      answers,
    ),
    staleAsCurrent: share(
      answers.filter(({ stale }) => stale.length > 0),
      answers,
    ),
    wronglyRetired: share(
      results.flatMap(({ wronglyRetired }) => wronglyRetired),
      results.flatMap(({ holding }) => Array.from({ length: holding })),
    ),
    wronglyMarked: share(
      results.flatMap(({ wronglyMarked }) => wronglyMarked),
      results.flatMap(({ holding }) => Array.from({ length: holding })),
    ),
    wronglyDoubted: share(
      answers.flatMap(({ doubted }) => doubted),
      answers.flatMap(({ holding }) => Array.from({ length: holding })),
    ),
    kinds: groups(answers, 'kind').map(([kind, of]) => ({ kind, ...share(of.filter(isGood), of) })),
  }
}
