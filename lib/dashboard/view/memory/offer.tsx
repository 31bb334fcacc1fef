import { useState } from 'preact/hooks'
import type { CaptureOutcome } from '../../connection/shapes.js'
import { Moment } from '../../part/moment.js'
import { oneLine } from '../../show/text.js'
import { replaceRecord } from '../../state/records.js'
import { addressOf } from '../../state/route.js'

/** What a captured text may replace: the person who wrote it knows. */
export function Offer({ outcome, onDone }: { outcome: CaptureOutcome; onDone: () => void }) {
  const [open, setOpen] = useState(outcome.related ?? [])
  if (open.length === 0) return null
  const decide = async (old: string, isReplaced: boolean): Promise<void> => {
    if (isReplaced) await replaceRecord(old, outcome.id)
    const left = open.filter(({ id }) => id !== old)
    setOpen(left)
    if (left.length === 0) onDone()
  }
  return (
    <section class="offer" aria-label="What it may replace">
      <p class="note">Is one of these out of date now?</p>
      <ul>
        {open.map(({ id, text, createdAt }) => (
          <li key={id} dir="auto">
            <a href={addressOf('entry', id)}>{oneLine(text)}</a> <Moment at={createdAt} />
            <button type="button" class="button" onClick={() => void decide(id, true)}>
              Replaced
            </button>
            <button type="button" class="button" onClick={() => void decide(id, false)}>
              Both hold
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
