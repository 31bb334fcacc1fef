import { distance, full } from '../show/moment.js'

/** An instant as a distance, with the exact time for those who ask. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={full(at)}>
      {distance(at)}
    </time>
  )
}
