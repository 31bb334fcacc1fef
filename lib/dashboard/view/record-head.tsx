import type { Entry } from '../connection/shapes.js'
import { Kind } from '../part/kind.js'
import { oneLine } from '../show/text.js'
import { addressOf } from '../state/route.js'

/** The head of a record: its type, its tags, and its state unless it is current. */
export function RecordHead({ found: { entry, state } }: { found: Entry }) {
  return (
    <p class="entry-head">
      <Kind type={entry.type} />
      {entry.tags.map((tag) => (
        <a class="chip" key={tag} href={addressOf('memories', '', { tag })}>
          {oneLine(tag)}
        </a>
      ))}
      {state !== 'current' && <span class={`chip is-${state}`}>{state}</span>}
    </p>
  )
}
