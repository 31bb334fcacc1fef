import { distance, full } from '../show/moment.js'

/** A relative time, with the exact time as its title. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={full(at)}>
      {distance(at)}
    </time>
  )
}
