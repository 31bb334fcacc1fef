import { kindColour } from '../show/kind.js'
import { distance, full } from '../show/moment.js'
import { oneLine } from '../show/text.js'

const PATHS = {
  memory:
    'M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zm0 0v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  sessions: 'M4 5h16v11H9l-5 4zM8 9h8M8 12h5',
  settings: 'M4 7h9M18 7h2M13 4v6M4 17h2M11 17h9M6 14v6',
  choose: 'M8 10l4-4 4 4M8 14l4 4 4-4',
  undo: 'M9 5 4 10l5 5M4 10h10a6 6 0 0 1 0 12h-3',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  records: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2 5 5',
  anvil: 'M3 7h18v2c0 2.5-3 4-7 4v3h3v4H7v-4h3v-3C6 13 4.5 11 3 7z',
  lattice:
    'M7 5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zm14 0a2 2 0 1 1-4 0 2 2 0 0 1 4 0zm-7 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0zm-7 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0zm14 0a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM6.5 6.5l4 4M17.5 6.5l-4 4M6.5 17.5l4-4M17.5 17.5l-4-4',
  hallmark: 'M12 3l7 3v5c0 4.5-3 8.3-7 10-4-1.7-7-5.5-7-10V6zM9 12l2 2 4-4',
  health: 'M3 12h4l3-8 4 16 3-8h4',
  pin: 'M9 3h6l-1 7 4 4H6l4-4zM12 14v7',
  tag: 'M3 12V4h8l10 10-8 8zM7.5 8h.01',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  retry: 'M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5',
  back: 'M15 5l-7 7 7 7',
  plus: 'M12 5v14M5 12h14',
  warning: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  check: 'M5 12l5 5 9-10',
}
export type IconName = keyof typeof PATHS

/** A decorative icon, hidden from screen readers: the text beside it says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

interface KeyProps {
  name: string
  /** True if the key works now. Its room is kept otherwise: a button that moves between press and release is not clicked. */
  isOn: boolean
}

/** The key of a button, for those who see it; the button itself names its action. */
export function Key({ name, isOn }: KeyProps) {
  return (
    <span class={`key ${isOn ? '' : 'is-off'}`} aria-hidden="true">
      {name}
    </span>
  )
}

/** A length that is sure to be shown whole. */
const SHORT = 16

/** The type of a record as a coloured label. */
export function Kind({ type }: { type: string }) {
  return (
    <span class="kind" style={{ color: `var(--${kindColour(type)})` }}>
      <span class="kind-dot" aria-hidden="true" />
      <span class="kind-name clip" title={type.length > SHORT ? oneLine(type) : undefined}>
        {oneLine(type)}
      </span>
    </span>
  )
}

/** The background of a part of a chart. */
export const fill = (colour: string) => ({ background: `var(--fill-${colour})` })

/** The colour of a part of a chart, beside its name. */
export function Swatch({ colour }: { colour?: string | undefined }) {
  return <span class="swatch" aria-hidden="true" style={colour === undefined ? undefined : fill(colour)} />
}

/** A relative time, with the exact time as its title. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={full(at)}>
      {distance(at)}
    </time>
  )
}
