import { useEffect, useRef } from 'preact/hooks'
import type { Query } from '../../connection/http.js'
import { Rows } from '../../part/rows.js'
import { Empty, Trouble, Waiting } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { counted, duration } from '../../show/amount.js'
import { oneLine } from '../../show/text.js'
import { useResources } from '../../state/resource.js'
import { addressOf, restate, route } from '../../state/route.js'
import { useListing, useSearch } from '../../state/search.js'
import { names } from '../../state/stores.js'
import { HitRow } from '../hit.js'

const ROW_HEIGHT = 76
const SEARCH_LIMIT = 200

const AGES = [
  { value: '', label: 'any time' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
]
const SCOPES = [
  { value: '', label: 'everywhere' },
  { value: 'project', label: 'this project' },
  { value: 'global', label: 'all my projects' },
]
const CONFIDENCES = [
  { value: '', label: 'any confidence' },
  { value: '0.5', label: '50% and more' },
  { value: '0.7', label: '70% and more' },
  { value: '0.9', label: '90% and more' },
]

type Fields = Record<'q' | 'type' | 'tag' | 'since' | 'scope' | 'sure' | 'expired', string>

function fieldsOf(query: URLSearchParams): Fields {
  const field = (name: keyof Fields): string => query.get(name) ?? ''
  return {
    q: field('q'),
    type: field('type'),
    tag: field('tag'),
    since: field('since'),
    scope: field('scope'),
    sure: field('sure'),
    expired: field('expired'),
  }
}

function filtersOf(fields: Fields): Query {
  return {
    type: fields.type,
    tag: fields.tag.trim(),
    since: fields.since,
    scope: fields.scope,
    minConfidence: fields.sure,
    includeExpired: fields.expired === 'yes' ? true : undefined,
  }
}

interface SelectProps {
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

function Select({ label, options, value, onChange }: SelectProps) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}

function Filters({ fields, change }: { fields: Fields; change: (changes: Partial<Fields>) => void }) {
  const known = names.value.value?.types ?? []
  const types = known.map(({ type, count }) => ({ value: type, label: `${oneLine(type)} (${count})` }))
  if (fields.type !== '' && !known.some(({ type }) => type === fields.type))
    types.unshift({ value: fields.type, label: oneLine(fields.type) })
  const isNarrowed = Object.entries(fields).some(([name, value]) => name !== 'q' && value !== '')
  const none: Partial<Fields> = { type: '', tag: '', since: '', scope: '', sure: '', expired: '' }
  return (
    <fieldset class="filters">
      <legend class="unseen">Filters</legend>
      <Select
        label="Type"
        options={[{ value: '', label: 'every type' }, ...types]}
        value={fields.type}
        onChange={(type) => change({ type })}
      />
      <Select label="Since" options={AGES} value={fields.since} onChange={(since) => change({ since })} />
      <Select label="Scope" options={SCOPES} value={fields.scope} onChange={(scope) => change({ scope })} />
      <Select label="Confidence" options={CONFIDENCES} value={fields.sure} onChange={(sure) => change({ sure })} />
      <label class="filter">
        <span>Tag</span>
        <input value={fields.tag} autoComplete="off" onInput={(event) => change({ tag: event.currentTarget.value })} />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={fields.expired === 'yes'}
          onChange={(event) => change({ expired: event.currentTarget.checked ? 'yes' : '' })}
        />
        Include expired
      </label>
      {isNarrowed && (
        <button type="button" class="button quiet small" onClick={() => change(none)}>
          Clear filters
        </button>
      )}
    </fieldset>
  )
}

function NoRecords({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed) return <Empty title="No record matches these filters">Remove one.</Empty>
  return (
    <Empty title="This memory is empty">
      <a href={addressOf('memory')}>Capture the first thing</a> that you learned today.
    </Empty>
  )
}

interface ResultsProps {
  fields: Fields
  isNarrowed: boolean
}

function Answers({ fields, isNarrowed }: ResultsProps) {
  const { found, problem } = useSearch(fields.q, filtersOf(fields), SEARCH_LIMIT)
  if (problem) return <Trouble problem={problem} />
  if (!found) return <Waiting lines={8} />
  const { hits, searched, tookMs, message } = found
  const answers = hits.length === SEARCH_LIMIT ? `best ${SEARCH_LIMIT} answers` : counted(hits.length, 'answer')
  return (
    <>
      <p class="note" role="status">
        {answers} in {counted(searched, 'record')}, {duration(tookMs)}
      </p>
      {hits.length > 0 ? (
        <Rows count={hits.length} itemAt={(at) => hits[at]} keyOf={(hit) => hit.id} height={ROW_HEIGHT} label="Records">
          {(hit, isCurrent) => <HitRow hit={hit} isReachable={isCurrent} />}
        </Rows>
      ) : (
        <Empty title={message ? oneLine(message) : 'No record matches this search'}>
          {isNarrowed
            ? 'Remove a filter, or try other words.'
            : 'Try fewer or other words. Any form of a word will do.'}
        </Empty>
      )}
    </>
  )
}

function Everything({ fields, isNarrowed }: ResultsProps) {
  const { total, problem, hitAt, want } = useListing(filtersOf(fields))
  if (problem) return <Trouble problem={problem} />
  if (total === undefined) return <Waiting lines={8} />
  return (
    <>
      <p class="note" role="status">
        {counted(total, 'record')}, newest first
      </p>
      {total === 0 ? (
        <NoRecords isNarrowed={isNarrowed} />
      ) : (
        <Rows count={total} itemAt={hitAt} keyOf={(hit) => hit.id} height={ROW_HEIGHT} label="Records" onRange={want}>
          {(hit, isCurrent) => <HitRow hit={hit} isReachable={isCurrent} />}
        </Rows>
      )}
    </>
  )
}

/** Search with filters; without words, everything there is, newest first. */
export function RecordsView() {
  useResources(names)
  const fields = fieldsOf(route.value.query)
  const box = useRef<HTMLInputElement>(null)
  const isNarrowed = Object.entries(fields).some(([name, value]) => name !== 'q' && value !== '')
  const change = (changes: Partial<Fields>): void => restate(addressOf('records', '', { ...fields, ...changes }))
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) box.current?.focus()
  }, [])
  const Results = fields.q.trim() === '' ? Everything : Answers
  return (
    <div class="records">
      <Heading title="Records" />
      <search>
        <form class="search" onSubmit={(event) => event.preventDefault()}>
          <label class="unseen" for="search">
            Search the memory
          </label>
          <input
            id="search"
            ref={box}
            type="search"
            value={fields.q}
            autoComplete="off"
            placeholder="Search: words, in any form and order"
            onInput={(event) => change({ q: event.currentTarget.value })}
          />
          <Filters fields={fields} change={change} />
        </form>
      </search>
      <Results fields={fields} isNarrowed={isNarrowed} />
    </div>
  )
}
