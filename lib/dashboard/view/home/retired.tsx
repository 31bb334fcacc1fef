import { Card } from '../../part/card.js'
import { Moment } from '../../part/moment.js'
import { counted } from '../../show/amount.js'
import { plainOf } from '../../show/plain.js'
import { oneLine } from '../../show/text.js'
import { keepRecord } from '../../state/records.js'
import { addressOf } from '../../state/route.js'
import { retired } from '../../state/stores.js'

const SHOWN = 5

/** What newer memories have retired in the last days, with the way back: a wrong retirement is noticed here or never. */
export function Retired() {
  const found = retired.value.value?.retired ?? []
  if (found.length === 0) return null
  return (
    <Card title="Retired in the last 7 days" class="span-6" note={counted(found.length, 'memory', 'memories')}>
      <ul class="retired">
        {found.slice(0, SHOWN).map(({ id, text, retired: { why, at } }) => (
          <li key={id}>
            <div dir="auto">
              <a href={addressOf('entry', id)}>{oneLine(plainOf(text).text).slice(0, 300)}</a>
              <p class="note">
                {oneLine(why)}, <Moment at={at} />
              </p>
            </div>
            <button type="button" class="button small" onClick={() => void keepRecord(id)}>
              Keep it
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
