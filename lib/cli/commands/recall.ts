import { type Command, Option } from 'commander'
import { askTeam } from '../../api/shared-memory.js'
import { type RecallOptions, type RecallOutcome, recallHere } from '../../native.js'
import type { ThoughtHit } from '../../openbrain/store.js'
import { ageOf } from '../../shared/age.js'
import { shortId } from '../../shared/identity.js'
import { counted } from '../../text/amount.js'
import { oneLine, printable } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { lostWarnings } from '../lost.js'
import { addFilters, type FilterFlags, filtersFrom, given } from '../options.js'
import { rankedHits } from '../page/hits.js'
import { indent } from '../page/layout.js'
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
        const query = words.join(' ')
        // Asked beside the own work; a filter that the store does not know asks for own records.
        const team = isForTeam(flags)
          ? await askTeam(query, { ...project, ...given({ type: flags.type?.[0] }) })
          : undefined
        const outcome = recallHere(query, {
          ...filtersFrom(flags),
          ...given({ mode: flags.mode, rerank: flags.rerank }),
          highlights: true,
          ...project,
        })
        // Without hits the message is the answer; with hits it is a warning about what could not be searched.
        const messages = outcome.hits.length > 0 && outcome.message ? [outcome.message] : []
        const { thoughts = [], message } = (await team?.()) ?? {}
        const warnings = [...messages, ...(await lostWarnings(project)), ...(message === undefined ? [] : [message])]
        return {
          document: thoughts.length === 0 ? outcome : { ...outcome, team: thoughts },
          text: (page) => [text(outcome, page, flags.all === true), ...ofTeam(thoughts, page)].join('\n\n'),
          warnings,
        }
      }),
    )
}

/** What a colleague stored has no labels, confidence or history here to be filtered by. */
function isForTeam({ scope, tag, since, minConfidence, at, type, ...flags }: FilterFlags): boolean {
  const others = [tag, since, minConfidence, at, flags.expired, flags.includeProposed]
  return scope !== 'global' && (type?.length ?? 0) < 2 && others.every((flag) => flag === undefined)
}

/** What colleagues stored, each with its author and age. */
function ofTeam(thoughts: ThoughtHit[], page: Page): string[] {
  if (thoughts.length === 0) return []
  const lines = thoughts.map((hit) => {
    const facts = [oneLine(hit.createdBy ?? ''), ageOf(hit.createdAt), shortId(oneLine(hit.id)), ...contested(hit)]
    const head = `${page.paint('accent', oneLine(hit.type))}  ${page.paint('quiet', facts.filter(Boolean).join('  '))}`
    return `   ${head}\n${indent(printable(hit.content.trim()), 3, page)}`
  })
  return [page.paint('quiet', 'From the team:'), ...lines]
}

const contested = ({ contradictedBy }: ThoughtHit) =>
  (contradictedBy ?? []).map((id) => `contradicted by ${shortId(oneLine(id))}`)

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
