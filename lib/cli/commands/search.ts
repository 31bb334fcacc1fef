import type { Command } from 'commander'
import { searchThoughts } from '../../api/shared-memory.js'
import type { SearchOutcome } from '../../openbrain/client/search.js'
import type { ThoughtHit } from '../../openbrain/store.js'
import { shortId } from '../../shared/identity.js'
import { oneLine, printable } from '../../text/printable.js'
import { shortNames } from '../../text/project-names.js'
import type { Answer, Respond } from '../answer.js'
import { given, number } from '../options.js'
import { indent } from '../page/layout.js'
import { date } from '../page/moment.js'
import type { Page } from '../page/page.js'

interface Flags {
  projectName?: string
  type?: string
  limit?: number
  since?: string
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<query...>', 'what to look for')
    .option('--project-name <name>', 'only this project (default: all)')
    .option('-t, --type <type>', 'only this type')
    .option('-n, --limit <count>', 'maximum number of results (default: 10)', number)
    .option('--since <when>', 'only newer: an ISO date, or 12h, 7d, 2w')
    .action(
      respond(async (project, words: string[], { projectName, ...flags }: Flags): Promise<Answer> => {
        const query = words.join(' ')
        const outcome = await searchThoughts(query, { ...given({ project: projectName, ...flags }), ...project })
        return {
          document: outcome,
          text: (page) => text(outcome, page),
          warnings: outcome.message === undefined ? [] : [outcome.message],
        }
      }),
    )
}

function text({ thoughts, semantic, backend }: SearchOutcome, page: Page): string {
  const how = page.paint('quiet', `${backend}, by ${semantic ? 'words and meaning' : 'words'}`)
  if (thoughts.length === 0) return `Nothing is known about that.  ${how}`
  const width = String(thoughts.length).length
  const shortOf = shortNames(thoughts.map(({ project }) => project))
  const hits = thoughts.map((hit, at) =>
    ranked({ ...hit, project: shortOf(hit.project) }, String(at + 1).padStart(width), page),
  )
  return `${hits.join('\n\n')}\n\n${how}`
}

function ranked(hit: ThoughtHit, rank: string, page: Page): string {
  const margin = rank.length + 2
  const tags = hit.tags.map((tag) => `#${oneLine(tag)}`)
  const quiet = [oneLine(hit.project), date(hit.createdAt), shortId(oneLine(hit.id)), oneLine(hit.source), ...tags]
  const facts = `${page.paint('accent', oneLine(hit.type))}  ${page.paint('quiet', quiet.filter((fact) => fact !== '').join('  '))}`
  const body = indent(printable(hit.content.trim()), margin, page)
  return `${rank}. ${indent(facts, margin, page).trimStart()}\n${body}`
}
