import type { AnvilStatus } from '../../connection/shapes.js'
import { Command } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { Card, Facts, Loaded, Verdict } from '../../part/panels.js'
import { counted, oneLine } from '../../show/text.js'
import { anvil } from '../../state/stores.js'

const WORDS: Record<string, string> = { negotiatedAway: 'without' }

function abilities(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, value]) => {
    const name = WORDS[key] ?? key
    if (value === true) return [name]
    if (value === false || value === null || value === undefined) return []
    if (Array.isArray(value)) return value.length === 0 ? [] : [`${name}: ${value.map(String).join(', ')}`]
    return [`${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
  })
}

function verdictOf(found: AnvilStatus): { title: string; says: string; tone: string } {
  const { paused, reachable, backOffUntil, problem } = found
  if (paused) return { title: 'Paused', says: paused.reason, tone: 'bad' }
  if (!reachable) return { title: 'Unreachable', says: problem ?? '', tone: 'bad' }
  if (problem) return { title: 'Trouble', says: problem, tone: 'bad' }
  if (backOffUntil)
    return { title: 'Waiting', says: 'the store accepted nothing; the next attempt is delayed', tone: 'warning' }
  return { title: 'Reachable', says: '', tone: 'good' }
}

function Details({ found }: { found: AnvilStatus }) {
  const { backend, place, stored, vectors, lastError } = found
  if (!backend)
    return (
      <>
        <p>
          No shared store is in use. Captures are safe in the files and wait in the queue. To share them between
          projects and agents, name a store in <code>.forge.json</code>:
        </p>
        <Command text={'{ "openbrain": { "url": "file" } }'} />
        <p class="note">
          “file” is an embedded store for this user; a postgres:// or https:// address is a shared one.
        </p>
      </>
    )
  const { title, says, tone } = verdictOf(found)
  const words = abilities(found.capabilities)
  return (
    <>
      <Verdict title={title} tone={tone}>
        {oneLine(says)}
      </Verdict>
      <Facts
        facts={[
          ['Backend', <code>{oneLine(backend)}</code>],
          place && ['Place', <code>{oneLine(place)}</code>],
          stored !== null && ['Holds', counted(stored, 'thought')],
          vectors && [
            'By meaning',
            <>
              {vectors.done} of {counted(vectors.total, 'thought')}
              {vectors.refused > 0 && <span class="note"> {vectors.refused} refused by the embedder</span>}
              <span class="note"> {oneLine(vectors.model)}</span>
            </>,
          ],
          lastError && [
            'Last error',
            <>
              {oneLine(lastError.message)}
              <span class="note">
                <Moment at={lastError.at} />
              </span>
            </>,
          ],
          words.length > 0 && [
            'Capabilities',
            <span class="chips">
              {words.map((word) => (
                <span class="chip" key={word}>
                  {oneLine(word)}
                </span>
              ))}
            </span>,
          ],
        ]}
      />
    </>
  )
}

export function Endpoint() {
  return (
    <Card title="Endpoint" class="span-2">
      <Loaded from={anvil}>{(found) => <Details found={found} />}</Loaded>
    </Card>
  )
}
