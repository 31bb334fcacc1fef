import type { RecallHit } from '../../native.js'
import { cameFrom } from '../../shared/came-from.js'
import { explanationOf } from '../../shared/explained.js'
import { freshnessMark, OVER, worktreeMark } from '../../shared/marks.js'
import { oneLine, printable } from '../../text/printable.js'
import { date, when } from './moment.js'
import { confidenceText, listedText, short } from './named.js'
import { indent, type Page } from './page.js'

/** Renders a ranked list: the text of each hit, with a line of facts below. */
export function rankedHits(hits: RecallHit[], page: Page, dates = false): string {
  const width = String(hits.length).length
  return hits.map((hit, at) => ranked(hit, String(at + 1).padStart(width), page, dates)).join('\n\n')
}

function ranked(hit: RecallHit, rank: string, page: Page, dates: boolean): string {
  const margin = rank.length + 2
  const marks = [worktreeMark(hit), freshnessMark(hit.freshness)].map((mark) => oneLine(mark).trim()).filter(Boolean)
  const drift = marks.map((mark) => `\n${indent(page.paint('warning', mark), margin, page)}`).join('')
  const rivals = (hit.contradictedBy ?? []).map((rival) => {
    const warning = `contradicted by ${short(rival.id)} (${[when(rival.createdAt, dates), rival.author].filter(Boolean).join(', ')})`
    return `\n${indent(page.paint('warning', warning), margin, page)}`
  })
  const head = `${rank}. ${listedText(marked(hit, page), margin, page).trimStart()}`
  const lines = explanationOf(hit)
  const why = lines.length === 0 ? '' : `\n${indent(page.paint('quiet', lines.join('\n')), margin, page)}`
  return `${head}\n${indent(facts(hit, page, dates), margin, page)}${drift}${rivals.join('')}${why}`
}

function marked(hit: RecallHit, page: Page): string {
  let [marked, at] = ['', 0]
  for (const { start, end } of page.colored ? (hit.highlights ?? []) : []) {
    const word = page.paint('match', printable(hit.text.slice(start, end)))
    marked += printable(hit.text.slice(at, start)) + word
    at = end
  }
  return (marked + printable(hit.text.slice(at))).trim()
}

function facts(hit: RecallHit, page: Page, dates: boolean): string {
  const tags = hit.tags.map((tag) => `#${oneLine(tag)}`)
  const quiet = [when(hit.createdAt, dates), short(hit.id), oneLine(hit.source), ...tags, ...remarks(hit)]
  const dim = quiet.filter((fact) => fact !== '').join('  ')
  return `${page.kind(hit.type)}  ${confidenceText(hit.confidence, page)}  ${page.paint('quiet', dim)}`
}

function remarks(hit: RecallHit): string[] {
  const found = hit.scope === 'global' ? ['(global)'] : []
  found.push(...cameFrom(hit).map(oneLine))
  if (hit.proposed) found.push('(waits for a review)')
  if (hit.weak) found.push('(weak match)')
  if (hit.over) found.push(`(${OVER})`)
  if (hit.expiresAt && Date.parse(hit.expiresAt) <= Date.now()) found.push(`(expired ${date(hit.expiresAt)})`)
  return found
}
