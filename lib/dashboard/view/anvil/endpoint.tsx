import type { AnvilStatus } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Command } from '../../part/copy.js'
import { Moment } from '../../part/moment.js'
import { Loaded } from '../../part/state.js'
import { counted } from '../../show/amount.js'
import { oneLine } from '../../show/text.js'
import { anvil } from '../../state/stores.js'
import { Fact } from '../entry/facts.js'

const WORDS: Record<string, string> = { negotiatedAway: 'without' }

/** Returns the capabilities of an endpoint as words. */
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
  if (reachable === false) return { title: 'Unreachable', says: problem ?? '', tone: 'bad' }
  if (problem) return { title: 'Trouble', says: problem, tone: 'bad' }
  if (backOffUntil)
    return { title: 'Waiting', says: 'the store accepted nothing; the next attempt is delayed', tone: 'warning' }
  return { title: 'Reachable', says: '', tone: 'good' }
}

function SetUp() {
  return (
    <>
      <p>
        No shared store is in use. Captures are safe in the files and wait in the queue. To share them between projects
        and agents, name a store in <code>.forge.json</code>:
      </p>
      <Command text={'{ "openbrain": { "url": "file" } }'} />
      <p class="note">“file” is an embedded store for this user; a postgres:// or https:// address is a shared one.</p>
    </>
  )
}

function Details({ found }: { found: AnvilStatus }) {
  if (!found.available || !found.backend) return <SetUp />
  const { title, says, tone } = verdictOf(found)
  const words = abilities(found.capabilities)
  return (
    <>
      <p class={`verdict is-${tone}`}>
        <strong>{title}</strong> {oneLine(says)}
      </p>
      <dl class="facts">
        <Fact name="Backend">
          <code>{oneLine(found.backend)}</code>
        </Fact>
        {found.place && (
          <Fact name="Place">
            <code>{oneLine(found.place)}</code>
          </Fact>
        )}
        {typeof found.stored === 'number' && <Fact name="Holds">{counted(found.stored, 'thought')}</Fact>}
        {found.vectors && (
          <Fact name="By meaning">
            {found.vectors.done} of {counted(found.vectors.total, 'thought')}
            {found.vectors.refused > 0 && <span class="note"> {found.vectors.refused} refused by the embedder</span>}
            <span class="note"> {oneLine(found.vectors.model)}</span>
          </Fact>
        )}
        {found.nextDueAt && (
          <Fact name="Next due">
            <Moment at={found.nextDueAt} />
          </Fact>
        )}
        {found.lastError && (
          <Fact name="Last error">
            {oneLine(found.lastError.message)}
            <span class="note">
              <Moment at={found.lastError.at} />
            </span>
          </Fact>
        )}
        {words.length > 0 && (
          <Fact name="Capabilities">
            <span class="chips">
              {words.map((word) => (
                <span class="chip" key={word}>
                  {oneLine(word)}
                </span>
              ))}
            </span>
          </Fact>
        )}
      </dl>
    </>
  )
}

/** The shared store that records are delivered to. */
export function Endpoint() {
  return (
    <Card title="Endpoint" class="span-2">
      <Loaded from={anvil}>{(found) => <Details found={found} />}</Loaded>
    </Card>
  )
}
