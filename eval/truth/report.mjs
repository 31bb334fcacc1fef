// The figures as text, and whether they pass the gates.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Writes the figures of one part down. */
export function describePart(name, { pairs, timelines, answered }) {
  return [
    `${name}: ${pairs.pairs} pairs, ${timelines.timelines} timelines with ${timelines.questions} questions`,
    '',
    row('pairs: retired, precision', pairs.retired.precision),
    row('pairs: retired, recall', pairs.retired.recall),
    row('pairs: linked, precision', pairs.linked.precision),
    row('pairs: linked, recall', pairs.linked.recall),
    row('pairs: disagreement noticed', pairs.noticed),
    row('pairs: wrongly retired', pairs.wronglyRetired),
    row('pairs: wrongly linked', pairs.wronglyLinked),
    row('pairs: lost as a duplicate', pairs.lost),
    row('timelines: current fact first', timelines.currentFirst),
    row('timelines: first without the stale ones', timelines.reachable),
    row('timelines: stale as current', timelines.staleAsCurrent),
    row('timelines: current fact first, offers answered', answered.currentFirst),
    row('timelines: stale as current, offers answered', answered.staleAsCurrent),
    row('timelines: wrongly retired', timelines.wronglyRetired),
    row('timelines: wrongly marked as contradicted', timelines.wronglyMarked),
    row('hits that hold, not answered as current', timelines.wronglyDoubted),
    '',
    '  rules',
    ...pairs.rules.flatMap(({ rule, retired, linked }) => [
      row(`  ${rule}, retires`, retired),
      row(`  ${rule}, links`, linked),
    ]),
    '  pairs by kind, right',
    ...pairs.kinds.map((kind) => row(`  ${kind.kind}`, kind)),
    '  questions by kind, right',
    ...timelines.kinds.map((kind) => row(`  ${kind.kind}`, kind)),
  ].join('\n')
}

/** Writes down the figures that sum the parts up: what is noticed by rules, what is offered, and what is retired wrongly. */
export function describeSummary(parts, { offers, silent, beside, records, ways }) {
  const head = ['part', 'noticed', ...ways.map((way) => `offered, ${way}`), 'wrongly retired']
  const cell = ({ count, of, share }) => (share === null ? '-' : `${share.toFixed(3)} (${count} of ${of})`)
  const rows = Object.entries(parts).map(([part, { pairs }]) => [
    part,
    cell(pairs.noticed),
    ...ways.map((way) => cell(offers[way][part])),
    cell(pairs.wronglyRetired),
  ])
  const line = (cells) => `| ${cells.join(' | ')} |`
  const quiet = ways.map((way) => `${cell(silent[way])} ${way}`).join(', ')
  const others = ways.map((way) => `${beside[way]} ${way}`).join(', ')
  const among = ways.length === 0 ? '' : `, and offered when captured among ${records} records`
  return [
    `changes noticed (retired or linked)${among}`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    ...(ways.length === 0
      ? []
      : [
          '',
          `captures of something else that were offered nothing: ${quiet}`,
          `records that were offered beside those: ${others}`,
        ]),
  ].join('\n')
}

/** Writes down what captures do to rules and messages of others. */
export function describeOthers({ updates, sideBySide, commits, labels, lessons }) {
  return [
    'texts of other authors',
    '',
    ...(updates === undefined
      ? []
      : [
          row('later versions of rules: retired or linked', updates),
          row('rules side by side: wrongly retired', sideBySide.retired),
          row('rules side by side: linked', sideBySide.linked),
          row('rules side by side: taken for repetitions', sideBySide.swallowed),
        ]),
    ...(commits === undefined
      ? []
      : [row('messages of commits: retired', commits.retired), row('messages of commits: linked', commits.linked)]),
    ...(lessons === undefined ? [] : [row('lessons, none of which replaces another: offered something', lessons)]),
    row('statements under one label: retired', labels.retired),
    row('statements under one label: linked', labels.linked),
  ].join('\n')
}

/** Writes down what captures do to the notes of others. */
export function describeNotes({ amongRetired, amongLinked, foreignRetired, foreignLinked, displaced }) {
  return [
    'among notes of others, shares of the captures and of the questions',
    '',
    row('notes: wrongly retired by a note', amongRetired),
    row('notes: linked with a note', amongLinked),
    row('texts of the pairs: wrongly retired a note', foreignRetired),
    row('texts of the pairs: linked with a note', foreignLinked),
    row('questions: the answer after a linked note', displaced),
  ].join('\n')
}

/** Lists what was wrongly retired there. */
export function describeRetired({ among, foreign }) {
  const lines = [...among.retired, ...foreign.retired].map(({ older, newer }) => `  older: ${older}\n  newer: ${newer}`)
  return lines.join('\n')
}

/** Lists what is not right, one line each. */
export function describeFailures({ pairs, timelines }) {
  const wrong = pairs.filter(({ isRight }) => !isRight)
  return [
    ...wrong.map(({ id, kind, label, outcome, rule, older, newer }) =>
      [`${id} ${kind}: ${label}, was ${outcome} (${rule})`, `  older: ${older.text}`, `  newer: ${newer.text}`].join(
        '\n',
      ),
    ),
    ...timelines.flatMap(({ id, kind, answers, wronglyRetired, wronglyMarked, events }) => [
      ...answers
        .filter(({ isFirst, stale }) => !isFirst || stale.length > 0)
        .map(({ ask, first, stale }) =>
          [`${id} ${kind}: ${ask}`, `  first: ${first}`, ...stale.map((text) => `  stale: ${text}`)].join('\n'),
        ),
      ...wronglyMarked.map((key) => `${id} ${kind}: wrongly marked: ${events.find((event) => event.key === key).text}`),
      ...wronglyRetired.map(
        (key) => `${id} ${kind}: wrongly retired: ${events.find((event) => event.key === key).text}`,
      ),
    ]),
  ].join('\n')
}

/** Lists the gates that the held-back part does not pass; nothing while they are off. */
export function failedGates({ pairs, timelines, answered }, notes) {
  const gates = JSON.parse(readFileSync(fileURLToPath(new URL('gates.json', import.meta.url)), 'utf8'))
  if (!gates.on) {
    return []
  }
  const worstRetired = Math.max(pairs.wronglyRetired.share ?? 0, timelines.wronglyRetired.share ?? 0)
  return [
    below('current fact first, offers answered', answered.currentFirst.share ?? 0, gates.currentFirst),
    above('stale as current, offers answered', answered.staleAsCurrent.share ?? 0, gates.staleAsCurrent),
    above('wrongly retired', worstRetired, gates.wronglyRetired),
    above(
      'wrongly linked',
      Math.max(pairs.wronglyLinked.share ?? 0, timelines.wronglyMarked.share ?? 0),
      gates.wronglyLinked,
    ),
    above('notes wrongly retired', worstOf(notes.amongRetired, notes.foreignRetired), gates.notesRetired),
    above('notes linked', worstOf(notes.amongLinked, notes.foreignLinked), gates.notesLinked),
    above('answers after a linked note', notes.displaced.share, gates.displaced),
    above('hits that hold, not answered as current', timelines.wronglyDoubted.share ?? 0, gates.wronglyDoubted),
    ...pairs.rules.map(({ rule, retired }) => below(`precision of ${rule}`, retired.share ?? 1, gates.retiringRule)),
  ].filter((line) => line !== undefined)
}

const worstOf = (...shares) => Math.max(...shares.map(({ share }) => share))

function below(name, value, least) {
  return value < least ? `${name}: ${value.toFixed(4)} is less than ${least}` : undefined
}

function above(name, value, most) {
  return value > most ? `${name}: ${value.toFixed(4)} is more than ${most}` : undefined
}

function row(name, { count, of, share }) {
  const shown = share === null ? '-' : share.toFixed(3)
  return `  ${name.padEnd(48)}${shown.padStart(7)}   ${count} of ${of}`
}
