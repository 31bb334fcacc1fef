import { useState } from 'preact/hooks'
import type { InjectedNote } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Choice } from '../../part/choice.js'
import { Kind } from '../../part/kind.js'
import { Moment } from '../../part/moment.js'
import { Empty, Loaded } from '../../part/state.js'
import { counted, whole } from '../../show/amount.js'
import { plainOf } from '../../show/plain.js'
import { oneLine, shortId } from '../../show/text.js'
import { rateRecord } from '../../state/records.js'
import { addressOf } from '../../state/route.js'
import { notes } from '../../state/stores.js'

const PAGE = 20

/** How a note was used, in words. */
const USES: Record<string, string> = {
  file: 'used: its file was touched',
  command: 'used: its command ran',
  cited: 'used: its id was cited',
}
const WHICH = [
  { value: 'all' as const, label: 'All' },
  { value: 'used' as const, label: 'Used' },
  { value: 'unused' as const, label: 'Not used' },
]
type Which = (typeof WHICH)[number]['value']

function Verdict({ note }: { note: InjectedNote }) {
  const [isBusy, setBusy] = useState(false)
  const rate = async (verdict: 'useful' | 'wrong'): Promise<void> => {
    setBusy(true)
    await rateRecord(note.id, verdict)
    setBusy(false)
  }
  const name = shortId(note.id)
  return (
    <span class="form-actions">
      <button
        type="button"
        class="button small quiet"
        disabled={isBusy}
        aria-label={`Useful: ${name}`}
        onClick={() => void rate('useful')}
      >
        Useful
      </button>
      <button
        type="button"
        class="button small quiet"
        disabled={isBusy}
        aria-label={`Not useful: ${name}`}
        title="It counts against the memory: agents get it later. From two people or sessions it comes to Review."
        onClick={() => void rate('wrong')}
      >
        Not useful
      </button>
    </span>
  )
}

function Note({ note }: { note: InjectedNote }) {
  const { id, text, type, host, hook, session, why, used, at, state } = note
  return (
    <li>
      <details class="note-given">
        <summary>
          <span class="hit-text" dir="auto">
            {text === undefined ? `${shortId(id)}, which is not in the memory any more` : oneLine(plainOf(text).text)}
          </span>
          <span class={`chip ${used ? 'is-good' : ''}`}>{used ? 'used' : 'not used'}</span>
          <Moment at={at} />
        </summary>
        <dl class="facts">
          <div class="fact">
            <dt>Given to</dt>
            <dd>
              {oneLine(host) || 'an agent'}, session <code>{oneLine(session).slice(0, 12) || 'unknown'}</code>
            </dd>
          </div>
          <div class="fact">
            <dt>When</dt>
            <dd>
              <code>{oneLine(hook)}</code>
            </dd>
          </div>
          <div class="fact">
            <dt>Why</dt>
            <dd>{why ? oneLine(why) : 'the hook did not say'}</dd>
          </div>
          <div class="fact">
            <dt>Then</dt>
            <dd>{used ? (USES[used] ?? 'used') : 'no use was seen in the same session'}</dd>
          </div>
          {text !== undefined && (
            <div class="fact">
              <dt>Memory</dt>
              <dd>
                {type && <Kind type={type} />} <a href={addressOf('entry', id)}>{oneLine(text).slice(0, 400)}</a>
                {state !== 'current' && <span class="chip">{state}</span>}
              </dd>
            </div>
          )}
        </dl>
        {text !== undefined && <Verdict note={note} />}
      </details>
    </li>
  )
}

/** Every note that an agent was given: which, to whom, why, and whether it was used. */
export function Given() {
  const [which, setWhich] = useState<Which>('all')
  const [shown, setShown] = useState(PAGE)
  const total = notes.value.value?.total ?? 0
  return (
    <Card
      title="Every note"
      class="span-6"
      note={`${counted(total, 'note')}, newest first`}
      actions={<Choice label="Which notes" options={WHICH} value={which} onChange={setWhich} />}
    >
      <Loaded from={notes} lines={5}>
        {({ notes: found }) => {
          const fitting = found.filter(({ used }) => which === 'all' || (used !== undefined) === (which === 'used'))
          if (fitting.length === 0) return <Empty title={which === 'used' ? 'None was used yet' : 'There are none'} />
          return (
            <>
              <ul class="notes-given" aria-label="Notes that agents were given">
                {fitting.slice(0, shown).map((note) => (
                  <Note key={`${note.at} ${note.id} ${note.session}`} note={note} />
                ))}
              </ul>
              {fitting.length > shown && (
                <button type="button" class="button small" onClick={() => setShown(shown + PAGE)}>
                  Show {whole(Math.min(PAGE, fitting.length - shown))} more
                </button>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}
