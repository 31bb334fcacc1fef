import type { RecallHit } from '../../native.js'
import { freshnessMark } from '../../shared/note-line.js'
import { highlight } from '../../text/highlight.js'
import { oneLine, printable } from '../../text/printable.js'
import { shortId } from './identity.js'
import { indent } from './layout.js'
import { date } from './moment.js'
import type { Page } from './page.js'

/** A ranked list: one line of facts for each hit, and its text under it. */
export function rankedHits(hits: RecallHit[], page: Page): string {
  const width = String(hits.length).length
  return hits.map((hit, at) => ranked(hit, String(at + 1).padStart(width), page)).join('\n\n')
}

function ranked(hit: RecallHit, rank: string, page: Page): string {
  const margin = rank.length + 2
  const mark = oneLine(freshnessMark(hit.freshness)).trim()
  const drift = mark === '' ? '' : `\n${indent(page.paint('yellow', mark), margin, page)}`
  const rivals = (hit.contradictedBy ?? []).map((rival) => {
    const said = `contradicted by ${shortId(oneLine(rival.id))} of ${date(rival.createdAt)}: ${oneLine(rival.text)}`
    return `\n${indent(page.paint('yellow', said), margin, page)}`
  })
  const head = `${rank}. ${indent(facts(hit, page), margin, page).trimStart()}`
  return `${head}\n${indent(marked(hit, page), margin, page)}${drift}${rivals.join('')}`
}

function marked(hit: RecallHit, page: Page): string {
  const text = printable(hit.text.trim())
  if (!page.colored) return text
  return highlight(text, hit.matched, (word) => page.paint(['bold', 'yellow'], word))
}

function facts(hit: RecallHit, page: Page): string {
  const tags = hit.tags.map((tag) => `#${oneLine(tag)}`)
  const quiet = [date(hit.createdAt), shortId(oneLine(hit.id)), oneLine(hit.source), ...tags, ...remarks(hit)]
  const dim = quiet.filter((fact) => fact !== '').join('  ')
  return `${page.paint('cyan', oneLine(hit.type))}  ${hit.confidence.toFixed(2)}  ${page.paint('dim', dim)}`
}

function remarks(hit: RecallHit): string[] {
  const found = hit.scope === 'global' ? ['(global)'] : []
  if (hit.expiresAt && Date.parse(hit.expiresAt) <= Date.now()) found.push(`(expired ${date(hit.expiresAt)})`)
  return found
}
