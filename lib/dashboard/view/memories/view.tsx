import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { Hit, MemoryList, RecallOutcome as Outcome } from '../../connection/shapes.js'
import { Shortcut } from '../../part/controls.js'
import { SearchField } from '../../part/fields.js'
import { Empty, Trouble, Waiting } from '../../part/panels.js'
import { mainList } from '../../part/rows.js'
import { Heading } from '../../shell/frame.js'
import { counted, duration, oneLine, whole } from '../../show/text.js'
import { useEntries } from '../../state/entry.js'
import { notifyFailure } from '../../state/notice.js'
import { isWide, pins, togglePin, writePreference } from '../../state/preferences.js'
import { useResources } from '../../state/resource.js'
import { addressOf, go, place, restate, route } from '../../state/route.js'
import { useListing, useSearch } from '../../state/search.js'
import { names, status } from '../../state/stores.js'
import { type Fields, fieldsOf, filterCount, filtersOf, groupingOf } from './fields.js'
import { Filters } from './filters.js'
import { type Found, RecordList } from './list.js'
import { Preview } from './preview.js'
import { type Selection, SelectionBar } from './selection.js'

const SEARCH_LIMIT = 200
/** The maximum number of memories in an answer of the server. */
const PAGE_MAX = 1000

function NoRecords({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) return <Empty title="No memory matches these filters">Remove one.</Empty>
  return (
    <Empty title="This memory is empty">
      <a href={addressOf('home')}>Capture the first thing</a> that you learned today.
    </Empty>
  )
}

interface ResultsProps {
  fields: Fields
  address: string
}

/** How the answers were found, and how much of the memory is compared by its meaning. */
function Coverage({ mode }: { mode: Outcome['mode'] }) {
  const vectors = status.value.value?.vectors
  const settings = addressOf('health', 'settings')
  if (mode === 'words')
    return (
      <>
        by words only: <a href={settings}>{vectors ? 'no memory has a vector yet' : 'no model of meaning is in use'}</a>
      </>
    )
  const how = mode === 'fused' ? 'by words and meaning' : 'by meaning'
  if (!vectors || vectors.covered >= vectors.total) return <>{how}</>
  return (
    <>
      {how}; {whole(vectors.covered)} of {whole(vectors.total)} have a vector
    </>
  )
}

function Answers({ fields, address }: ResultsProps) {
  const { found, problem } = useSearch(fields.q, filtersOf(fields), SEARCH_LIMIT)
  const [unfolded, setUnfolded] = useState('')
  const asked = found?.query ?? ''
  useEffect(() => {
    if (asked !== '') writePreference('query', asked)
  }, [asked])
  if (problem) return <Trouble problem={problem} />
  if (!found) return <Waiting lines={8} />
  const { query, weak, searched, mode, tookMs, message } = found
  const isUnfolded = unfolded === query
  const hits = isUnfolded ? [...found.hits, ...weak] : found.hits
  const isAll = found.hits.length + weak.length < SEARCH_LIMIT
  const answers = isAll ? counted(found.hits.length, 'answer') : `best ${whole(found.hits.length)} answers`
  return (
    <>
      <p class="note" role="status" data-query={query}>
        {answers} in {counted(searched, 'memory', 'memories')}, {duration(tookMs)}, <Coverage mode={mode} />
        {weak.length > 0 && (
          <>
            {' · '}
            <button type="button" class="link" onClick={() => setUnfolded(isUnfolded ? '' : query)}>
              {isUnfolded ? 'Hide' : 'Show'} {counted(weak.length, 'weak one')}
            </button>
          </>
        )}
      </p>
      {message && found.hits.length > 0 && <p class="note">{oneLine(message)}</p>}
      {hits.length > 0 ? (
        <Browser
          address={address}
          of={query}
          found={{ total: hits.length, groups: undefined, hitAt: (at) => hits[at] }}
          pinned={[]}
          fields={fields}
          everyHit={async () => hits}
        />
      ) : (
        <Empty title={message ? oneLine(message) : 'No memory matches this search'}>
          {filterCount(fields) > 0
            ? 'Remove a filter, or try other words.'
            : 'Try fewer or other words. Any form of a word will do.'}
        </Empty>
      )}
    </>
  )
}

function Everything({ fields, address }: ResultsProps) {
  const filters = filtersOf(fields)
  const isNarrowed = filterCount(fields) > 0
  const { total, groups, problem, hitAt, want } = useListing(filters, groupingOf(fields))
  const pinned = useEntries(isNarrowed ? [] : pins.value)
  if (problem) return <Trouble problem={problem} />
  if (total === undefined) return <Waiting lines={8} />
  const everyHit = async (): Promise<Hit[]> => {
    const all: Hit[] = []
    while (all.length < total) {
      const query = { ...filters, limit: PAGE_MAX, offset: all.length }
      const { entries } = await ask<MemoryList>('/api/memory/list', { query })
      if (entries.length === 0) break
      all.push(...entries)
    }
    return all
  }
  return (
    <>
      <p class="note" role="status">
        {counted(total, 'memory', 'memories')}
        {groupingOf(fields) === '' ? ', newest first' : `, by ${groupingOf(fields)}, newest first`}
      </p>
      {total === 0 ? (
        <NoRecords isNarrowed={isNarrowed} />
      ) : (
        <Browser
          address={address}
          of={JSON.stringify([filters, groupingOf(fields)])}
          found={{ total, groups, hitAt, want }}
          pinned={pinned}
          fields={fields}
          everyHit={everyHit}
        />
      )}
    </>
  )
}

interface BrowserProps {
  address: string
  /** The search that found the records. */
  of: string
  found: Found
  pinned: Hit[]
  fields: Fields
  everyHit: () => Promise<Hit[]>
}

/** The list with its selection, and the preview of the current record beside it. */
function Browser({ address, of, found, pinned, fields, everyHit }: BrowserProps) {
  const isBack = place.address === address
  const [start] = useState(isBack ? place.row : 0)
  const [current, setCurrent] = useState<Hit>()
  const [selection, setSelection] = useState<Selection>(new Map())
  const select = (hits: Hit[], isSelected: boolean): void => {
    const next = new Map(selection)
    for (const hit of hits) {
      if (!isSelected) next.delete(hit.id)
      else next.set(hit.id, hit)
    }
    setSelection(next)
  }
  const selectAll = (): void => {
    everyHit().then((hits) => setSelection(new Map(hits.map((hit) => [hit.id, hit]))), notifyFailure)
  }
  const pin = (): void => {
    if (current) togglePin(current.id)
  }
  const toggle = (): void => {
    if (current) select([current], !selection.has(current.id))
    // The next key moves from this row.
    mainList.current?.enter()
  }
  return (
    <div class={`browser ${isWide.value ? 'has-preview' : ''}`}>
      <div class="browser-list">
        {selection.size > 0 && (
          <SelectionBar selection={selection} most={found.total} onSelectAll={selectAll} onDone={setSelection} />
        )}
        <RecordList
          found={found}
          pinned={pinned}
          of={of}
          hasDays={groupingOf(fields) === 'day'}
          selection={selection}
          start={start}
          isEntered={isBack}
          onSelect={select}
          onCurrent={(row, hit) => {
            Object.assign(place, { address, row })
            setCurrent(hit)
          }}
        />
        <Shortcut name="x" does={toggle} />
        <Shortcut name="p" does={pin} />
      </div>
      {isWide.value && (
        <section class="preview" aria-label="The current memory">
          <Preview id={current?.id} onPin={pin} />
        </section>
      )}
    </div>
  )
}

/** Search with filters; without words, all records, newest first or in groups. */
export function MemoriesView() {
  useResources(names, status)
  const fields = fieldsOf(route.value.query)
  const address = addressOf('memories', '', fields)
  const change = (changes: Partial<Fields>): void => {
    const changed = addressOf('memories', '', { ...fields, ...changes })
    // A chosen filter is a step back in the browser; the letters of a typed text are not.
    const isTyped = Object.keys(changes).every((name) => name === 'q' || name === 'tag')
    if (isTyped) restate(changed)
    else go(changed)
  }
  // A changed search or filter makes the saved position that of another list.
  useEffect(() => {
    if (place.address !== address) Object.assign(place, { address: '', row: 0 })
  }, [address])
  const Results = fields.q.trim() === '' ? Everything : Answers
  const onKeyDown = (event: KeyboardEvent): void => {
    const box = document.getElementById('search')
    const isInBox = event.target === box
    const isToList = isInBox && (event.key === 'ArrowDown' || event.key === 'Enter')
    if (isToList || (isInBox && event.key === 'Escape' && fields.q === '')) {
      event.preventDefault()
      mainList.current?.move('j')
    } else if (event.key === 'Escape' && !isInBox && !document.querySelector('.selection, dialog[open]')) {
      event.preventDefault()
      box?.focus()
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the fields and the list within
    <div class="records" onKeyDown={onKeyDown}>
      <Heading title="Memories" />
      <search>
        <form class="search" onSubmit={(event) => event.preventDefault()}>
          <SearchField
            id="search"
            label="Search the memory"
            placeholder="Search: words, in any form and order"
            value={fields.q}
            onChange={(q) => change({ q })}
          />
          <Filters fields={fields} change={change} />
        </form>
      </search>
      <Results fields={fields} address={address} />
    </div>
  )
}
