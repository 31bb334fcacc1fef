import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { PartState, Verification } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Card, type Fact, Facts, Loaded, Verdict } from '../../part/panels.js'
import { counted, duration, percent, printable, whole } from '../../show/text.js'
import { useWork } from '../../state/notice.js'
import { addressOf } from '../../state/route.js'
import { health, status } from '../../state/stores.js'
import { Named } from '../hit.js'

const PARTS: { name: 'drain' | 'watcher' | 'vectors' | 'lattice'; label: string }[] = [
  { name: 'drain', label: 'Delivery to the shared store' },
  { name: 'watcher', label: 'File watcher' },
  { name: 'vectors', label: 'Vectors of new records' },
  { name: 'lattice', label: 'Code graph' },
]

function stateOf(part: PartState | undefined): { word: string; tone: string } {
  if (part === undefined) return { word: 'off', tone: 'quiet' }
  if (part.lastError) return { word: 'in trouble', tone: 'bad' }
  if (part.standby) return { word: 'another server does it', tone: 'quiet' }
  return part.running ? { word: 'running', tone: 'good' } : { word: 'idle', tone: 'quiet' }
}

/** Search by meaning is a choice: without a model there is no fault, whatever the part says. */
const isUnused = (name: string): boolean => name === 'vectors' && !status.value.value?.vectors

function factOf(label: string, part: PartState | undefined): Fact {
  const { word, tone } = stateOf(part)
  const says = (
    <>
      <span class={`dot is-${tone}`} aria-hidden="true" />
      {word}
      {part?.lastError && <span class="note">{printable(part.lastError)}</span>}
    </>
  )
  return [label, says]
}

/** The background services of the server. */
export function Engine() {
  return (
    <Card title="At work">
      <Loaded from={health}>
        {(found) => (
          <Facts
            isEven={true}
            facts={[
              ...PARTS.map(({ name, label }) => factOf(label, isUnused(name) ? undefined : found[name])),
              ['Server', `version ${found.version}, up for ${duration(found.uptimeMs)}`],
              ['Connected', counted(found.hub?.clients ?? 0, 'client')],
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}

const SUSPECTS_SHOWN = 20

function Verified({ found }: { found: Verification }) {
  const { ok, records, intact, edited, drifted, unstamped, damaged, suspects } = found
  const of = (name: string, count: number): Fact => [
    name,
    <>
      {whole(count)} <span class="note">{percent(count, records)}</span>
    </>,
  ]
  return (
    <>
      <Verdict tone={ok ? 'good' : 'bad'} title={ok ? 'All is well' : 'Look at these'}>
        {counted(records, 'record')} read
      </Verdict>
      <Facts
        isEven={true}
        facts={[
          of('As captured', intact),
          of('Changed by hand', edited),
          of('About code that changed', drifted),
          of('Without a stamp', unstamped),
          of('Damaged lines', damaged),
        ]}
      />
      {suspects.length > 0 && (
        <ul aria-label="Suspects">
          {suspects.slice(0, SUSPECTS_SHOWN).map(({ id, file, line, reason }) => (
            <li key={`${file} ${line}`}>
              {id ? (
                <a href={addressOf('entry', id)}>
                  <Named id={id} />
                </a>
              ) : (
                <code>
                  {printable(file)}:{line}
                </code>
              )}{' '}
              {printable(reason)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Verifies every record against its hallmark, on request. */
export function Verify() {
  const [found, setFound] = useState<Verification>()
  const [isBusy, start] = useWork()
  const verify = async (): Promise<void> =>
    setFound(await ask<Verification>('/api/memory/verify', { method: 'POST', body: {} }))
  return (
    <Card
      title="Verification"
      actions={
        <Button look="small" disabled={isBusy} onClick={() => start(verify)}>
          {isBusy ? 'Verifying…' : 'Verify records'}
        </Button>
      }
    >
      <div aria-live="polite">
        {found ? (
          <Verified found={found} />
        ) : (
          <p class="faint">
            Reads every record and compares it with the stamp that it got when it was captured. Nothing is changed.
          </p>
        )}
      </div>
    </Card>
  )
}
