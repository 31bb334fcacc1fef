// npm run eval:truth: how well the memory tells what holds from what held once.
//
//   --failures   lists what is not right in the part that rules are made by
//   --held       lists the mistakes on the held-out part; do not tune rules to them
//   --later      lists those on the part that was written later
//   --third      lists those on the part that was written after it
//   --fourth     lists those on the last part
//   --json       prints the figures as one JSON document, with the lists as text

import { parseArgs } from 'node:util'
import { judgeNotes, sumNotes } from './judge-notes.mjs'
import { judgePair, sumPairs } from './judge-pairs.mjs'
import { judgeTimeline, sumTimelines } from './judge-timelines.mjs'
import { loadLibrary, openWorkshop } from './project.mjs'
import { describeFailures, describeNotes, describePart, describeRetired, failedGates } from './report.mjs'
import { PARTS, pairs, timelines } from './set.mjs'

const { values: options } = parseArgs({
  options: {
    failures: { type: 'boolean', default: false },
    held: { type: 'boolean', default: false },
    later: { type: 'boolean', default: false },
    third: { type: 'boolean', default: false },
    fourth: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

const results = await judge()
const parts = Object.fromEntries(PARTS.map((part) => [part, sumsOf(part)]))
const notes = sumNotes(results.notes)
const failed = failedGates(parts.held, notes)
const mistakes = describeMistakes()
process.stdout.write(`${options.json ? JSON.stringify({ parts, notes, failed, mistakes }) : describe()}\n`)
process.exitCode = failed.length > 0 ? 1 : 0

async function judge() {
  const workshop = openWorkshop()
  try {
    const library = await loadLibrary()
    return {
      pairs: pairs().map((pair) => judgePair(library, workshop.folder, pair)),
      timelines: timelines().map((timeline) => judgeTimeline(library, workshop.folder, timeline)),
      notes: judgeNotes(
        library,
        workshop.folder,
        pairs().flatMap(({ older, newer }) => [older.text, newer.text]),
      ),
    }
  } finally {
    workshop.close()
  }
}

function ofPart(part) {
  const isOf = (result) => result.part === part
  return { pairs: results.pairs.filter(isOf), timelines: results.timelines.filter(isOf) }
}

function sumsOf(part) {
  const of = ofPart(part)
  return { pairs: sumPairs(of.pairs), timelines: sumTimelines(of.timelines) }
}

/** The lists that were asked for. */
function describeMistakes() {
  const shown = PARTS.filter((part) => options[part === 'tuning' ? 'failures' : part])
  return [
    ...(options.failures ? [`among notes, wrongly retired:\n${describeRetired(results.notes)}`] : []),
    ...shown.map((part) => `${part}, not right:\n${describeFailures(ofPart(part))}`),
  ]
}

function describe() {
  const described = PARTS.map((part) => describePart(part, parts[part]))
  return [...described, describeNotes(notes), ...mistakes, ...failed.map((line) => `gate: ${line}`)].join('\n\n')
}
