import { useState } from 'preact/hooks'
import type { CaptureOutcome } from '../../connection/shapes.js'
import { Moment } from '../../part/moment.js'
import { oneLine, shortId } from '../../show/text.js'
import { keepRecord, replaceRecord } from '../../state/records.js'
import { addressOf } from '../../state/route.js'

const linkTo = (id: string, text: string) => (
  <a href={addressOf('entry', id)}>{text === '' ? shortId(id) : oneLine(text).slice(0, 300)}</a>
)

/** What a capture retired, with its text: the person who wrote it knows whether that is right. */
function RetiredNow({ retired }: Pick<CaptureOutcome, 'retired'>) {
  const [kept, setKept] = useState<string[]>([])
  const left = retired.filter(({ id }) => !kept.includes(id))
  if (left.length === 0) return null
  const keep = async (id: string): Promise<void> => {
    if ((await keepRecord(id)) !== undefined) setKept([...kept, id])
  }
  return (
    <>
      <p class="note">It took the place of:</p>
      <ul>
        {left.map(({ id, text }) => (
          <li key={id} dir="auto">
            {linkTo(id, text)}
            <button type="button" class="button small" onClick={() => void keep(id)}>
              Both hold
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** What a captured text has done to other memories, and what it may replace. */
export function Offer({ outcome, onDone }: { outcome: CaptureOutcome; onDone: () => void }) {
  const [open, setOpen] = useState(outcome.related ?? [])
  const { retired, conflicts } = outcome
  const decide = async (old: string, isReplaced: boolean): Promise<void> => {
    if (isReplaced) await replaceRecord(old, outcome.id)
    setOpen(open.filter(({ id }) => id !== old))
  }
  if (open.length + retired.length + conflicts.length === 0) return null
  return (
    <section class="offer" aria-label="What it may replace">
      <RetiredNow retired={retired} />
      {conflicts.length > 0 && (
        <>
          <p class="note">It contradicts, and both count until you decide:</p>
          <ul>
            {conflicts.map(({ id, text }) => (
              <li key={id} dir="auto">
                {linkTo(id, text)}
                <a class="button small" href={addressOf('review', 'conflicts')}>
                  Decide
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {open.length > 0 && (
        <>
          <p class="note">Is one of these out of date now?</p>
          <ul>
            {open.map(({ id, text, createdAt }) => (
              <li key={id} dir="auto">
                {linkTo(id, text)} <Moment at={createdAt} />
                <button type="button" class="button small" onClick={() => void decide(id, true)}>
                  Replaced
                </button>
                <button type="button" class="button small" onClick={() => void decide(id, false)}>
                  Both hold
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <button type="button" class="button quiet small" onClick={onDone}>
        Done
      </button>
    </section>
  )
}
