import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { Health, Verification } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Loaded } from '../../part/state.js'
import { counted, duration, percent, whole } from '../../show/amount.js'
import { printable, shortId } from '../../show/text.js'
import { notifyFailure } from '../../state/notice.js'
import { addressOf } from '../../state/route.js'
import { health } from '../../state/stores.js'

interface PartState {
  running?: boolean
  standby?: boolean
  lastError?: string
}

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

function Parts({ found }: { found: Health }) {
  const parts = found as unknown as Record<string, PartState | undefined>
  return (
    <dl class="facts">
      {PARTS.map(({ name, label }) => {
        const part = parts[name]
        const { word, tone } = stateOf(part)
        return (
          <div class="fact is-even" key={name}>
            <dt>{label}</dt>
            <dd>
              <span class={`dot is-${tone}`} aria-hidden="true" />
              {word}
              {part?.lastError && <span class="note">{printable(part.lastError)}</span>}
            </dd>
          </div>
        )
      })}
      <div class="fact is-even">
        <dt>Server</dt>
        <dd>
          version {found.version}, up for {duration(found.uptimeMs)}
        </dd>
      </div>
      <div class="fact is-even">
        <dt>Connected</dt>
        <dd>{counted(found.hub?.clients ?? 0, 'client')}</dd>
      </div>
    </dl>
  )
}

/** The background services of the server. */
export function Engine() {
  return (
    <Card title="At work">
      <Loaded from={health}>{(found) => <Parts found={found} />}</Loaded>
    </Card>
  )
}

const SUSPECTS_SHOWN = 20

function Verdict({ found }: { found: Verification }) {
  const { ok, records, intact, edited, drifted, unstamped, damaged } = found
  return (
    <>
      <p class={`verdict is-${ok ? 'good' : 'bad'}`}>
        <strong>{ok ? 'All is well' : 'Look at these'}</strong> {counted(records, 'record')} read
      </p>
      <dl class="facts">
        {[
          ['As captured', intact],
          ['Changed by hand', edited],
          ['About code that changed', drifted],
          ['Without a stamp', unstamped],
          ['Damaged lines', damaged],
        ].map(([name, count]) => (
          <div class="fact is-even" key={name}>
            <dt>{name}</dt>
            <dd>
              {whole(Number(count))} <span class="note">{percent(Number(count), records)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {found.suspects.length > 0 && (
        <ul class="suspects" aria-label="Suspects">
          {found.suspects.slice(0, SUSPECTS_SHOWN).map((suspect) => (
            <li key={`${suspect.file} ${suspect.line}`}>
              {suspect.id ? (
                <a href={addressOf('entry', suspect.id)}>
                  <code>{shortId(suspect.id)}</code>
                </a>
              ) : (
                <code>
                  {printable(suspect.file)}:{suspect.line}
                </code>
              )}{' '}
              {printable(suspect.reason)}
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
  const [isBusy, setBusy] = useState(false)
  const verify = async (): Promise<void> => {
    setBusy(true)
    try {
      setFound(await ask<Verification>('/api/memory/verify', { method: 'POST', body: {} }))
    } catch (cause) {
      notifyFailure(cause)
    }
    setBusy(false)
  }
  return (
    <Card
      title="Verification"
      actions={
        <button type="button" class="button small" disabled={isBusy} onClick={() => void verify()}>
          {isBusy ? 'Verifying…' : 'Verify records'}
        </button>
      }
    >
      <div aria-live="polite">
        {found ? (
          <Verdict found={found} />
        ) : (
          <p class="all-well">
            Reads every record and compares it with the stamp that it got when it was captured. Nothing is changed.
          </p>
        )}
      </div>
    </Card>
  )
}
