import type { SearchOutcome } from '../../openbrain/client/search.js'
import type { ThoughtHit } from '../../openbrain/store.js'
import { shortId } from '../../shared/identity.js'
import { oneLine, printable } from '../../text/printable.js'
import { shortNames } from '../../text/project-names.js'
import { indent } from './layout.js'
import { when } from './moment.js'
import type { Page } from './page.js'

/** Renders what the shared store found: the text of each hit, with a line of facts below. */
export function sharedHits({ thoughts, semantic, backend }: SearchOutcome, page: Page, dates = false): string {
  const how = page.paint('quiet', `${backend}, by ${semantic ? 'words and meaning' : 'words'}`)
  if (thoughts.length === 0) return `Nothing is known about that.  ${how}`
  const width = String(thoughts.length).length
  const shortOf = shortNames(thoughts.map(({ project }) => project))
  const hits = thoughts.map((hit, at) =>
    ranked({ ...hit, project: shortOf(hit.project) }, String(at + 1).padStart(width), page, dates),
  )
  return `${hits.join('\n\n')}\n\n${how}`
}

function ranked(hit: ThoughtHit, rank: string, page: Page, dates: boolean): string {
  const margin = rank.length + 2
  const tags = hit.tags.map((tag) => `#${oneLine(tag)}`)
  const quiet = [
    oneLine(hit.project),
    when(hit.createdAt, dates),
    shortId(oneLine(hit.id)),
    oneLine(hit.source),
    ...tags,
  ]
  const facts = `${page.kind(hit.type)}  ${page.paint('quiet', quiet.filter((fact) => fact !== '').join('  '))}`
  const body = indent(printable(hit.content.trim()), margin, page).trimStart()
  return `${rank}. ${body}\n${indent(facts, margin, page)}`
}

/** Renders what colleagues stored, each with its author and age. */
export function ofTeam(thoughts: ThoughtHit[], page: Page, dates = false): string[] {
  if (thoughts.length === 0) return []
  const hits = thoughts.map((hit) => {
    const contested = (hit.contradictedBy ?? []).map((id) => `contradicted by ${shortId(oneLine(id))}`)
    const facts = [oneLine(hit.createdBy ?? ''), when(hit.createdAt, dates), shortId(oneLine(hit.id)), ...contested]
    const quiet = page.paint('quiet', facts.filter(Boolean).join('  '))
    return `   ${indent(printable(hit.content.trim()), 3, page).trimStart()}\n   ${page.kind(hit.type)}  ${quiet}`
  })
  return [page.paint('quiet', 'From the team:'), ...hits]
}
