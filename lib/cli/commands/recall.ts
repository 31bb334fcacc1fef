import { type Command, Option } from 'commander'
import { type RecallOptions, type RecallOutcome, recallHere } from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { lostWarnings } from '../lost.js'
import { addFilters, type FilterFlags, filtersFrom, given } from '../options.js'
import { rankedHits } from '../page/hits.js'
import type { Page } from '../page/page.js'

export function configure(command: Command, respond: Respond): void {
  const modes = new Option('--mode <mode>', 'by words, by meaning, or by both where there are vectors (default: auto)')
  addFilters(command.argument('<query...>', 'the words to look for'))
    .addOption(modes.choices(['auto', 'words', 'meaning']))
    .option('--rerank', 'put the first 20 hits in the order of an installed cross-encoder')
    .option('--all', 'show weaker hits as well')
    .option('--explain', 'explain the score and the confidence of each hit')
    .action(
      respond(async (project, words: string[], flags: FilterFlags & Ranking): Promise<Answer> => {
        const outcome = recallHere(words.join(' '), {
          ...filtersFrom(flags),
          ...given({ mode: flags.mode, rerank: flags.rerank }),
          highlights: true,
          ...project,
        })
        // Without hits the message is the answer; with hits it is a warning about what could not be searched.
        const messages = outcome.hits.length > 0 && outcome.message ? [outcome.message] : []
        const warnings = [...messages, ...(await lostWarnings(project))]
        return { document: outcome, text: (page) => text(outcome, page, flags.all === true), warnings }
      }),
    )
}

interface Ranking {
  mode?: NonNullable<RecallOptions['mode']>
  rerank?: boolean
  all?: boolean
}

function text(outcome: RecallOutcome, page: Page, isAll: boolean): string {
  const searched = `in ${counted(outcome.searched, 'memory', 'memories')}`
  if (outcome.hits.length === 0) return oneLine(outcome.message ?? `no match ${searched}`)
  const shown = isAll ? outcome.hits : outcome.hits.filter((hit) => !hit.weaker)
  const weaker = outcome.hits.length - shown.length
  const rest = weaker === 0 ? '' : `; ${weaker} weaker: --all`
  const found = `${counted(shown.length, 'hit')} ${searched}${MODES[outcome.mode]}${reranked(outcome)}${rest}`
  return `${rankedHits(shown, page)}\n\n${page.paint('quiet', found)}`
}

function reranked({ hits }: RecallOutcome): string {
  return hits.some((hit) => hit.reranked !== undefined) ? ', re-ranked' : ''
}

/** The phrase for a search mode; empty for the default, search by words. */
const MODES: Record<RecallOutcome['mode'], string> = {
  words: '',
  meaning: ', by meaning',
  fused: ', by words and meaning',
}
