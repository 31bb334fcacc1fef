import type { Entry, Hit } from '../connection/shapes.js'
import { Icon, Kind, Moment } from '../part/marks.js'
import { lineOf, plainOf } from '../show/plain.js'
import { linesOf, Marked, oneLine, percent, shortId } from '../show/text.js'
import { headlineOf, highlightsWithin, type Range } from '../show/title.js'
import { textOfMemory } from '../state/entry.js'
import { pins } from '../state/preferences.js'
import { addressOf } from '../state/route.js'

interface HitRowProps {
  hit: Hit
  isReachable?: boolean
}

const TAGS = 2

/** The headline of a memory that is named by its id. */
export function Named({ id }: { id: string }) {
  const text = textOfMemory(id)
  return <>{text === '' ? shortId(id) : lineOf(text)}</>
}

/** The freshness of a record, in a word. */
const DRIFT: Record<string, string> = { renamed: 'code renamed', changed: 'code changed', gone: 'code gone' }

function Marks({ hit }: { hit: Hit }) {
  const drift = hit.freshness ? DRIFT[hit.freshness.state] : undefined
  return (
    <>
      {hit.proposed && <span class="chip is-warning">proposed</span>}
      {hit.over && <span class="chip is-warning">says that it is over</span>}
      {hit.worktree && <span class="chip">{hit.worktree.said}</span>}
      {hit.contradictedBy && <span class="chip is-warning">contradicted</span>}
      {drift && (
        <span class="chip is-warning" title={oneLine(hit.freshness?.why ?? '')}>
          {drift}
        </span>
      )}
      {hit.scope === 'global' && <span class="chip">global</span>}
      {pins.value.includes(hit.id) && (
        <span class="pinned">
          <Icon name="pin" />
          <span class="unseen">pinned</span>
        </span>
      )}
    </>
  )
}

/** Why a search found a memory: the words that it has of it, or its meaning. */
function Why({ hit: { score, matched } }: { hit: Hit }) {
  if (score === 0) return null
  return <span class="hit-why clip">{matched.length === 0 ? 'by meaning' : `has ${oneLine(matched.join(', '))}`}</span>
}

/** A record in a list: two lines of its text, and what is to say of it. The whole row is a link to its page. */
export function HitRow({ hit, isReachable = true }: HitRowProps) {
  const { text, highlights, heading } = plainOf(hit.text, hit.highlights)
  const { title, gist, gistAt } = headlineOf(text, heading)
  const highlighted = (part: Range) => highlightsWithin(highlights, part)
  return (
    <a class="hit" href={addressOf('entry', hit.id)} tabIndex={isReachable ? 0 : -1}>
      <span class={`two-lines ${linesOf(text)}`} dir="auto">
        <strong class="hit-title">
          <Marked text={title} highlights={highlighted({ start: 0, end: title.length })} />
        </strong>{' '}
        <span class="hit-gist">
          <Marked text={gist} highlights={highlighted({ start: gistAt, end: gistAt + gist.length })} />
        </span>
      </span>
      <span class="hit-line hit-facts note">
        <Kind type={hit.type} />
        <Marks hit={hit} />
        <Why hit={hit} />
        <span class="hit-end note">
          <span class="hit-more">
            {hit.tags.slice(0, TAGS).map((tag) => (
              <span class="chip" key={tag}>
                {oneLine(tag)}
              </span>
            ))}
            <span class="hit-source">{oneLine(hit.source)}</span>
            <span class="hit-sure" title="confidence">
              {percent(hit.confidence, 1)}
            </span>
          </span>
          <Moment at={hit.createdAt} />
        </span>
      </span>
    </a>
  )
}

/** The head of a record: its type, its tags, and its state unless it is current. */
export function RecordHead({ found: { entry, state } }: { found: Entry }) {
  return (
    <p class="row">
      <Kind type={entry.type} />
      {entry.tags.map((tag) => (
        <a class="chip" key={tag} href={addressOf('memories', '', { tag })}>
          {oneLine(tag)}
        </a>
      ))}
      {state !== 'current' && <span class={`chip is-${state}`}>{state}</span>}
    </p>
  )
}
