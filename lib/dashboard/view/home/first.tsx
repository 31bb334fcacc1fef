import type { ComponentChildren } from 'preact'
import { voiceOf } from '../../../text/voice.js'
import type { Hit } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { Card, Loaded } from '../../part/panels.js'
import { lineOf } from '../../show/plain.js'
import { counted, oneLine, whole } from '../../show/text.js'
import { doToAll, forgetting, renewRecord } from '../../state/records.js'
import { addressOf } from '../../state/route.js'
import { conflicts, expiring, learned, review } from '../../state/stores.js'

const SHOWN = 3

interface LineProps {
  text: string
  address: string
  note: ComponentChildren
  children?: ComponentChildren
}

/** A memory, what is to say of it, and what one may do about it. */
function Line({ text, address, note, children }: LineProps) {
  return (
    <li>
      <div dir="auto">
        <a class="two-lines" href={address}>
          {lineOf(text).slice(0, 300)}
        </a>
        <p class="note">{note}</p>
      </div>
      {children}
    </li>
  )
}

function Lines<T extends { id: string }>({ all, of }: { all: T[]; of: (one: T) => ComponentChildren }) {
  return <ul class="retired">{all.slice(0, SHOWN).map(of)}</ul>
}

function Waits() {
  const contradictions = conflicts.value.value?.conflicts.length ?? 0
  return (
    <Card title="Waits for you" class="span-2">
      <Loaded from={review}>
        {({ waiting }) => (
          <>
            <Lines
              all={waiting}
              of={({ id, text, why, createdAt }) => (
                <Line
                  key={id}
                  text={text}
                  address={addressOf('review')}
                  note={
                    <>
                      {why}, <Moment at={createdAt} />
                    </>
                  }
                />
              )}
            />
            {waiting.length + contradictions === 0 && <p class="note">Nothing: all is decided.</p>}
            <p class="note flow">
              {waiting.length > 0 && (
                <a href={addressOf('review')}>
                  {waiting.length === 1 ? 'Decide about it' : `Decide about all ${whole(waiting.length)}`}
                </a>
              )}
              {contradictions > 0 && (
                <a href={addressOf('review', 'conflicts')}>{counted(contradictions, 'contradiction')}</a>
              )}
            </p>
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Expires() {
  const line = (hit: Hit) => (
    <Line key={hit.id} text={hit.text} address={addressOf('entry', hit.id)} note={<Moment at={hit.expiresAt ?? ''} />}>
      <Button look="small" label={`Renew: ${lineOf(hit.text).slice(0, 60)}`} onClick={() => renewRecord(hit)}>
        Renew
      </Button>
    </Line>
  )
  return (
    <Card title="Expires soon" class="span-2">
      <Loaded from={expiring}>
        {({ entries, total }) => (
          <>
            <Lines all={entries} of={line} />
            {total === 0 && <p class="note">Nothing within two weeks.</p>}
            {total > SHOWN && <p class="note">{whole(total - SHOWN)} more within two weeks</p>}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Learned() {
  const line = (hit: Hit) => (
    <Line
      key={hit.id}
      text={hit.text}
      address={addressOf('entry', hit.id)}
      note={
        <>
          {oneLine(voiceOf(hit))}, <Moment at={hit.createdAt} />
        </>
      }
    >
      <Button
        look="small"
        icon="undo"
        label={`Take back: ${lineOf(hit.text).slice(0, 60)}`}
        onClick={() => doToAll([hit.id], forgetting, hit.text)}
      >
        Take back
      </Button>
    </Line>
  )
  return (
    <Card title="Learned since yesterday" class="span-2">
      <Loaded from={learned}>
        {({ entries, total }) => (
          <>
            <Lines all={entries} of={line} />
            {total === 0 && <p class="note">Nothing yet.</p>}
            {total > SHOWN && (
              <p class="note">
                <a href={addressOf('memories', '', { by: 'day' })}>All {whole(total)}</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** What a person may have to do about the memory, before everything else. */
export function First() {
  return (
    <div class="grid first">
      <Waits />
      <Expires />
      <Learned />
    </div>
  )
}
