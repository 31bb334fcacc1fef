import { useState } from 'preact/hooks'
import { Form, SearchField } from '../../part/fields.js'
import { Empty, Trouble } from '../../part/panels.js'
import { counted, duration, oneLine } from '../../show/text.js'
import { addressOf, go } from '../../state/route.js'
import { useListing, useSearch } from '../../state/search.js'
import { HitRow } from '../hit.js'

const SHOWN = 4

/** Recall while typing: the best hits, with a link to all of them. */
export function RecallBox({ suggestion }: { suggestion: string }) {
  const [query, setQuery] = useState('')
  const { found, problem } = useSearch(query, {}, SHOWN)
  const newest = useListing({})
  const isSearch = query.trim() !== ''
  const shown = isSearch ? (found?.hits ?? []) : Array.from({ length: SHOWN }, (_, at) => newest.hitAt(at))
  const all = addressOf('memories', '', { q: query })
  const hasAnswer = isSearch && found?.query === query
  return (
    <search>
      <Form class="column" onSubmit={() => go(all)}>
        <SearchField
          id="recall-text"
          label="Recall"
          placeholder="A few words, in any form and order"
          value={query}
          onChange={setQuery}
        />
        {problem && <Trouble problem={problem} />}
        {hasAnswer && found.hits.length === 0 && (
          <Empty title={`Nothing about “${oneLine(query)}”`}>
            Try fewer or other words. Any form of a word will do.
          </Empty>
        )}
        {!isSearch && newest.total === 0 && suggestion === '' && (
          <p class="note">What you capture is found here, in other words as well.</p>
        )}
        {!isSearch && suggestion !== '' && (
          <p class="note">
            Try{' '}
            <button type="button" class="link" onClick={() => setQuery(suggestion)}>
              {oneLine(suggestion)}
            </button>
          </p>
        )}
        <ul class="recall-hits" aria-label={isSearch ? 'Best answers' : 'Newest'}>
          {shown
            .filter((hit) => hit !== undefined)
            .map((hit) => (
              <li key={hit.id}>
                <HitRow hit={hit} />
              </li>
            ))}
        </ul>
        {hasAnswer && found.hits.length > 0 && (
          <p class="note recall-foot">
            <span>
              {counted(found.searched, 'memory', 'memories')} searched in {duration(found.tookMs)}
            </span>
            <a href={all}>All answers</a>
          </p>
        )}
      </Form>
    </search>
  )
}
