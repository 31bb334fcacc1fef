import type { SearchOutcome } from '../../openbrain/client/search.js'
import type { ThoughtHit } from '../../openbrain/store.js'
import { doubtsOf, sourceOf } from '../../shared/thought-line.js'
import { oneLine, printable } from '../../text/printable.js'
import { shortNames } from '../../text/project-names.js'
import { when } from './moment.js'
import { listedText, short } from './named.js'
import { indent, type Page } from './page.js'

/** Renders the hits of the shared store: the text of each, with a line of facts below. */
export function sharedHits({ thoughts, semantic, backend }: SearchOutcome, page: Page, dates = false): string {
  const place = backend === 'embedded' ? 'the store of this machine' : backend
  const how = page.paint('quiet', `${place}, by ${semantic ? 'words and meaning' : 'words'}`)
  if (thoughts.length === 0) return `Nothing is known about that.  ${how}`
  const width = String(thoughts.length).length
  const shortOf = shortNames(thoughts.map(({ project }) => project))
  const hits = thoughts.map((hit, at) =>
    ranked({ ...hit, project: shortOf(hit.project) }, String(at + 1).padStart(width), page, dates),
  )
  return `${hits.join('\n\n')}\n\n${how}`
}

function ranked(hit: ThoughtHit, rank: string, page: Page, dates: boolean): string {
  const tags = hit.tags.map((tag) => `#${oneLine(tag)}`)
  const from = [oneLine(hit.project), when(hit.createdAt, dates), short(hit.id), oneLine(sourceOf(hit))]
  const facts = [...from, ...tags, ...doubtsOf(hit).map(oneLine)]
  return entry(hit, `${rank}. `, facts, page)
}

/** Renders the thoughts of colleagues, each with its author and age. */
export function ofTeam(thoughts: ThoughtHit[], page: Page, dates = false): string[] {
  if (thoughts.length === 0) return []
  const hits = thoughts.map((hit) => {
    const facts = [
      oneLine(hit.createdBy ?? ''),
      when(hit.createdAt, dates),
      short(hit.id),
      ...doubtsOf(hit).map(oneLine),
    ]
    return entry(hit, '   ', facts, page)
  })
  return [page.paint('quiet', 'From the team:'), ...hits]
}

/** The text of a hit behind its lead, with a line of facts below. */
function entry(hit: ThoughtHit, lead: string, facts: string[], page: Page): string {
  const margin = lead.length
  const line = `${page.kind(hit.type)}  ${page.paint('quiet', facts.filter((fact) => fact !== '').join('  '))}`
  return `${lead}${listedText(printable(hit.content.trim()), margin, page).trimStart()}\n${indent(line, margin, page)}`
}
