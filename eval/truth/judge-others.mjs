// What captures do to texts of other authors: rules of teams and their later versions, messages of commits, and statements under one label.
// Rules about different things hold side by side, and hardly any commit contradicts another.

import { join } from 'node:path'
import { readCommitTexts } from '../sets/shared.mjs'
import { readLessons, readRules } from '../sets/world.mjs'
import { share } from './judge-pairs.mjs'
import { idsIn, Project } from './project.mjs'

const COMMITS_MAX = 2000
/** "Label: statement" says something about what the label names; two statements under one label are not two values of one thing. */
const LABELS = [
  'Ann Lee',
  'Ledger',
  'Search Service',
  'frontend',
  'fix(parser)',
  'Reminder',
  'Release Train',
  'Load Balancer',
]
const STATEMENTS = [
  'never block the event loop in a handler',
  'the connection pool leaks when a query is cancelled',
  'traces go through the collector',
  'writes are idempotent',
  'it is remarkable how quick the tests are',
  'we will know more after the rehearsal',
  'releases before holidays are risky',
  'I read the dashboards this morning',
  'rename the helpers',
  'add a sample for pagination',
]

/** Returns what happened; what the data folder does not have is left out. */
export function judgeOthers(library, folder, data) {
  const rules = readRules(data)
  const commits = readCommitTexts(data, COMMITS_MAX)
  const lessons = readLessons(data)
  const open = (name) => new Project(library, join(folder, 'others', name))
  return {
    ...(rules && {
      updates: updatesOf(rules, open),
      sideBySide: captureAll(
        open('rules'),
        rules.map(([first]) => first),
      ),
    }),
    ...(commits && { commits: captureAll(open('commits'), commits) }),
    ...(lessons && { lessons: offeredIn(open('lessons'), lessons.documents) }),
    labels: added(
      LABELS.map((label, at) =>
        captureAll(
          open(`label-${at}`),
          STATEMENTS.map((said) => `${label}: ${said}`),
        ),
      ),
    ),
  }
}

const capture = (project, body, more = {}) =>
  project.capture({ tool: 'eval', source: 'eval/others', type: 'convention', body, ...more })

/** Captures texts of which none replaces another one, and counts which are offered something all the same. */
function offeredIn(project, texts) {
  const outcomes = texts.map(({ text }) => capture(project, text, { related: true }))
  return share(
    outcomes.filter(({ related }) => idsIn(related).length > 0),
    outcomes,
  )
}

/** Each later version of a rule makes the one before it out of date. */
function updatesOf(rules, open) {
  const pairs = rules.flatMap((versions) => versions.slice(1).map((newer, at) => [versions[at], newer]))
  const noticed = pairs.filter(([older, newer], at) => {
    const project = open(`update-${at}`)
    const { id } = capture(project, older)
    const { retired, conflicts } = capture(project, newer)
    return [...idsIn(retired), ...idsIn(conflicts)].includes(id)
  })
  return share(noticed, pairs)
}

/** Captures texts of which none makes another one out of date. */
function captureAll(project, texts) {
  const outcomes = texts.map((text) => capture(project, text))
  const of = (has) => share(outcomes.filter(has), outcomes)
  return {
    retired: of(({ retired }) => idsIn(retired).length > 0),
    linked: of(({ conflicts }) => idsIn(conflicts).length > 0),
    swallowed: of(({ deduped }) => deduped),
  }
}

function added(all) {
  const sum = (name) => {
    const [count, of] = ['count', 'of'].map((what) => all.reduce((total, each) => total + each[name][what], 0))
    return { count, of, share: count / of }
  }
  return { retired: sum('retired'), linked: sum('linked'), swallowed: sum('swallowed') }
}
