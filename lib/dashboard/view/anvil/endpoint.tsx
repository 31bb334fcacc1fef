import type { AnvilStatus } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Command } from '../../part/copy.js'
import { Moment } from '../../part/moment.js'
import { Loaded } from '../../part/state.js'
import { oneLine } from '../../show/text.js'
import { anvil } from '../../state/stores.js'
import { Fact } from '../entry/facts.js'

/** What an endpoint can do, as a list of words, whatever shape it is told in. */
function abilities(told: unknown): string[] {
  if (Array.isArray(told)) return told.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  if (typeof told !== 'object' || told === null) return []
  return Object.entries(told).flatMap(([name, value]) => {
    if (value === true) return [name]
    if (value === false || value === null || value === undefined) return []
    if (Array.isArray(value)) return value.length === 0 ? [] : [`${name}: ${value.map(String).join(', ')}`]
    return [`${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
  })
}

function health({ reachable, paused, lastError }: AnvilStatus): { text: string; tone: string } {
  if (paused)
    return {
      text: `Paused: ${typeof paused === 'string' ? oneLine(paused) : 'the endpoint asked for time'}`,
      tone: 'warning',
    }
  if (reachable === true) return { text: 'Reachable', tone: 'good' }
  if (reachable === false)
    return { text: lastError ? `Unreachable: ${oneLine(lastError)}` : 'Unreachable', tone: 'bad' }
  return { text: 'Not asked yet', tone: 'quiet' }
}

function Details({ found }: { found: AnvilStatus }) {
  if (!found.available || !found.backend || found.backend === 'none')
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
  const { text, tone } = health(found)
  const words = abilities(found.capabilities)
  return (
    <>
      <p class={`verdict is-${tone}`}>
        <strong>{text}</strong>
      </p>
      <dl class="facts">
        <Fact name="Backend">
          <code>{oneLine(found.backend)}</code>
        </Fact>
        {found.nextDueAt && (
          <Fact name="Next due">
            <Moment at={found.nextDueAt} />
          </Fact>
        )}
        {found.lastError && <Fact name="Last error">{oneLine(found.lastError)}</Fact>}
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

/** The store that all deliveries go to. */
export function Endpoint() {
  return (
    <Card title="Endpoint" class="span-2">
      <Loaded from={anvil}>{(found) => <Details found={found} />}</Loaded>
    </Card>
  )
}
