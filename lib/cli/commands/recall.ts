import type { Command } from 'commander'
import { type RecallOutcome, recall } from '../../native.js'
import { counted } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { addFilters, type FilterFlags, filtersFrom } from '../options.js'
import { rankedHits } from '../page/hits.js'
import type { Page } from '../page/page.js'

export function configure(command: Command, respond: Respond): void {
  addFilters(command.argument('<query...>', 'the words to look for')).action(
    respond((project, words: string[], flags: FilterFlags): Answer => {
      const outcome = recall(words.join(' '), { ...filtersFrom(flags), ...project })
      // Without a hit the message is the answer; beside hits it says what could not be searched.
      const warnings = outcome.hits.length > 0 && outcome.message ? [outcome.message] : []
      return { document: outcome, text: (page) => text(outcome, page), warnings }
    }),
  )
}

function text(outcome: RecallOutcome, page: Page): string {
  const searched = `in ${counted(outcome.searched, 'memory', 'memories')}`
  if (outcome.hits.length === 0) return oneLine(outcome.message ?? `no match ${searched}`)
  const found = `${counted(outcome.hits.length, 'hit')} ${searched}`
  return `${rankedHits(outcome.hits, page)}\n\n${page.paint('dim', found)}`
}
