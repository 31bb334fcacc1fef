// npm run eval:truth: how well the memory tells what holds from what held once.
//
//   --failures   lists what is not right in the part that rules are made by
//   --held       lists the mistakes on the held-out part; do not tune rules to them
//   --later      lists those on the part that was written later
//   --third      lists those on the part that was written after it
//   --fourth     lists those on the last part
//   --json       prints the figures as one JSON document, with the lists as text
//   --no-offers  leaves out what captures offer, which is half of the time
//   --meaning    measures offers with the model as well, which takes minutes
//   --data DIR   where world/ and commits/ are   (default FORGE_EVAL_DATA, else shared/data beside the checkout)

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA, installedModel } from '../command.mjs'
import { showProgress } from '../progress.mjs'
import { judgeNotes, sumNotes } from './judge-notes.mjs'
import { judgeOffers, sumBeside, sumOffers, sumSilent } from './judge-offers.mjs'
import { judgeOthers } from './judge-others.mjs'
import { judgePair, sumPairs } from './judge-pairs.mjs'
import { judgeTimeline, sumTimelines } from './judge-timelines.mjs'
import { loadLibrary, openWorkshop } from './project.mjs'
import {
  describeFailures,
  describeNotes,
  describeOthers,
  describePart,
  describeRetired,
  describeSummary,
  failedGates,
} from './report.mjs'
import { PARTS, pairs, timelines } from './set.mjs'

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    failures: { type: 'boolean', default: false },
    held: { type: 'boolean', default: false },
    later: { type: 'boolean', default: false },
    third: { type: 'boolean', default: false },
    fourth: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    offers: { type: 'boolean', default: true },
    meaning: { type: 'boolean', default: false },
    data: { type: 'string', default: DATA },
  },
})

const results = await judge()
const parts = Object.fromEntries(PARTS.map((part) => [part, sumsOf(part)]))
const notes = sumNotes(results.notes)
const { others } = results
const offered = sumOffered()
const failed = failedGates(parts.held, notes)
const mistakes = describeMistakes()
const document = { parts, notes, offered, others, failed, mistakes }
process.stdout.write(`${options.json ? JSON.stringify(document) : describe()}\n`)
process.exitCode = failed.length > 0 ? 1 : 0

async function judge() {
  const workshop = openWorkshop()
  try {
    const library = await loadLibrary()
    return {
      offers: options.offers ? await measureOffers(library, workshop.folder) : {},
      others: judgeOthers(library, workshop.folder, options.data),
      pairs: pairs().map((pair) => judgePair(library, workshop.folder, pair)),
      timelines: timelines().map((timeline) => judgeTimeline(library, workshop.folder, timeline)),
      answered: timelines().map((timeline) =>
        judgeTimeline(library, join(workshop.folder, 'answered'), timeline, { isAnswered: true }),
      ),
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

/** Offers by words, and with the model when that is asked for; a model that is lent stays. */
async function measureOffers(library, folder) {
  const by = (way, withMeaning) =>
    judgeOffers(library, join(folder, way), pairs(), { withMeaning, progress: showProgress })
  const offers = { words: await by('words', false) }
  if (!options.meaning) return offers
  const { lendModel } = await import('../ways/library.mjs')
  const model = installedModel()
  if (model === undefined) throw new Error('no model is installed: forge-memory model install')
  mkdirSync(process.env.FORGE_HOME, { recursive: true })
  lendModel(model)
  offers.meaning = await by('meaning', true)
  rmSync(join(process.env.FORGE_HOME, 'models'), { recursive: true })
  return offers
}

function sumOffered() {
  const ways = Object.keys(results.offers)
  const of = (sum) => Object.fromEntries(ways.map((way) => [way, sum(results.offers[way])]))
  return {
    ways,
    records: results.offers.words?.records,
    offers: of((judged) => Object.fromEntries(PARTS.map((part) => [part, sumOffers(judged, part)]))),
    silent: of(sumSilent),
    beside: of(sumBeside),
  }
}

function ofPart(part) {
  const isOf = (result) => result.part === part
  const { pairs: judged, timelines: played, answered } = results
  return { pairs: judged.filter(isOf), timelines: played.filter(isOf), answered: answered.filter(isOf) }
}

function sumsOf(part) {
  const of = ofPart(part)
  return { pairs: sumPairs(of.pairs), timelines: sumTimelines(of.timelines), answered: sumTimelines(of.answered) }
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
  const sums = [describeNotes(notes), describeOthers(others), describeSummary(parts, offered)]
  return [...described, ...sums, ...mistakes, ...failed.map((line) => `gate: ${line}`)].join('\n\n')
}
