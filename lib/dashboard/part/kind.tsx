import { kindColour } from '../show/kind.js'
import { oneLine } from '../show/text.js'

/** The type of a record as a coloured label. */
export function Kind({ type }: { type: string }) {
  return (
    <span class={`kind kind-${kindColour(type)}`}>
      <span class="kind-dot" aria-hidden="true" />
      {oneLine(type)}
    </span>
  )
}
