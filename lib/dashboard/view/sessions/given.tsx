import { useState } from 'preact/hooks'
import type { InjectedNote } from '../../connection/shapes.js'
import { usePaged } from '../../part/chosen.js'
import { Button, Choice } from '../../part/controls.js'
import { Kind, Moment } from '../../part/marks.js'
import { Card, Empty, Facts, Loaded } from '../../part/panels.js'
import { lineOf } from '../../show/plain.js'
import { counted, oneLine, shortId } from '../../show/text.js'
import { useWork } from '../../state/notice.js'
import { rateRecord, ruleOut, VERDICTS } from '../../state/records.js'
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
  { value: 'unused' as const, label: 'No use seen' },
]
type Which = (typeof WHICH)[number]['value']

/** The kinds of evidence about what an agent did; a prompt has no place. */
const EVIDENCE = /^(?:file|folder|symbol|caller|command|failure) (.+)$/s

function Rating({ id, why }: { id: string; why: string | undefined }) {
  const [isBusy, start] = useWork()
  const at = why?.match(EVIDENCE)?.[1]
  return (
    <span class="form-actions">
      {VERDICTS.map(({ verdict, label, says }) => (
        <Button
          key={verdict}
          look="small quiet"
          disabled={isBusy}
          label={`${label}: ${shortId(id)}`}
          title={says}
          onClick={() => start(() => rateRecord(id, verdict))}
        >
          {label}
        </Button>
      ))}
      {at !== undefined && (
        <Button
          look="small quiet"
          disabled={isBusy}
          label={`Not for this: ${shortId(id)}, ${oneLine(at)}`}
          title={`It is right, and does not belong to ${oneLine(at)}: agents are still given it elsewhere.`}
          onClick={() => start(() => ruleOut(id, at))}
        >
          Not for this
        </Button>
      )}
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
            {text === undefined ? `${shortId(id)}, which is not in the memory any more` : lineOf(text)}
          </span>
          <span class={`chip ${used ? 'is-good' : ''}`}>{used ? 'used' : 'no use seen'}</span>
          <Moment at={at} />
        </summary>
        <Facts
          facts={[
            [
              'Given to',
              <>
                {oneLine(host) || 'an agent'}, session <code>{oneLine(session).slice(0, 12) || 'unknown'}</code>
              </>,
            ],
            ['When', <code>{oneLine(hook)}</code>],
            ['Why', why ? oneLine(why) : 'the hook did not say'],
            ['Then', used ? (USES[used] ?? 'used') : 'no use was seen in the same session'],
            text !== undefined && [
              'Memory',
              <>
                {type && <Kind type={type} />} <a href={addressOf('entry', id)}>{oneLine(text).slice(0, 400)}</a>
                {state !== 'current' && <span class="chip">{state}</span>}
              </>,
            ],
          ]}
        />
        {text !== undefined && <Rating id={id} why={why} />}
      </details>
    </li>
  )
}

function NoteList({ found, which }: { found: InjectedNote[]; which: Which }) {
  const fitting = found.filter(({ used }) => which === 'all' || (used !== undefined) === (which === 'used'))
  const [shown, more] = usePaged(fitting, PAGE, 'small')
  if (fitting.length === 0) return <Empty title={which === 'used' ? 'None was used yet' : 'There are none'} />
  return (
    <>
      <ul class="notes-given" aria-label="Notes that agents were given">
        {shown.map((note) => (
          <Note key={`${note.at} ${note.id} ${note.session}`} note={note} />
        ))}
      </ul>
      {more}
    </>
  )
}

/** Every note that an agent was given: which, to whom, why, and whether it was used. */
export function Given() {
  const [which, setWhich] = useState<Which>('all')
  const total = notes.value.value?.total ?? 0
  return (
    <Card
      title="Every note"
      class="span-6"
      note={`${counted(total, 'note')}, newest first`}
      actions={<Choice label="Which notes" options={WHICH} value={which} onChange={setWhich} />}
    >
      <Loaded from={notes} lines={5}>
        {({ notes: found }) => <NoteList found={found} which={which} />}
      </Loaded>
    </Card>
  )
}
