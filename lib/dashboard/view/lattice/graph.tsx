import { Scroller } from '../../part/scroller.js'
import { Empty } from '../../part/state.js'
import { counted } from '../../show/amount.js'
import { oneLine } from '../../show/text.js'
import { addressOf } from '../../state/route.js'
import type { CodeSymbol } from './shapes.js'

const ROW = 44
const SHOWN = 12
const WIDTH = 960
const BOX = 260

interface GraphProps {
  name: string
  callers: CodeSymbol[]
  callees: CodeSymbol[]
}

interface Placed {
  symbol: CodeSymbol
  x: number
  y: number
}

function placed(symbols: CodeSymbol[], x: number, height: number): Placed[] {
  const shown = symbols.slice(0, SHOWN)
  const top = (height - shown.length * ROW) / 2
  return shown.map((symbol, at) => ({ symbol, x, y: top + at * ROW + ROW / 2 }))
}

/** Too long a name loses its middle: the beginning and the end tell names apart. */
function fitting(text: string, room: number): string {
  if (text.length <= room) return text
  return `${text.slice(0, Math.ceil(room / 2) - 1)}…${text.slice(-Math.floor(room / 2))}`
}

function Node({ at, isFocus = false }: { at: Placed; isFocus?: boolean }) {
  const { symbol, x, y } = at
  const place = `${oneLine(symbol.filePath)}:${symbol.startLine}`
  return (
    <a
      href={addressOf('lattice', '', { name: symbol.name })}
      class={`node ${isFocus ? 'is-focus' : ''}`}
      aria-label={`${oneLine(symbol.name)}, ${place}`}
    >
      <title>{place}</title>
      <rect x={x} y={y - 17} width={BOX} height={34} rx={8} />
      <text x={x + 12} y={y - 1} class="node-name">
        {fitting(oneLine(symbol.name), 32)}
      </text>
      <text x={x + 12} y={y + 12} class="node-place">
        {fitting(place, 42)}
      </text>
    </a>
  )
}

const curve = (x1: number, y1: number, x2: number, y2: number): string => {
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}

/** Who calls a function, and what it calls; each box leads to its own graph. */
export function CallGraph({ name, callers, callees }: GraphProps) {
  if (callers.length + callees.length === 0)
    return (
      <Empty title={`No calls to or from ${oneLine(name)}`}>Names match as they are written, capitals included.</Empty>
    )
  const height = Math.max(1, Math.min(SHOWN, Math.max(callers.length, callees.length))) * ROW + 16
  const middle = { x: (WIDTH - BOX) / 2, y: height / 2 }
  const left = placed(callers, 0, height)
  const right = placed(callees, WIDTH - BOX, height)
  const hidden = Math.max(0, callers.length - SHOWN) + Math.max(0, callees.length - SHOWN)
  return (
    <>
      <Scroller class="graph" label={`Calls to and from ${oneLine(name)}`}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section around it has the name, and every box its own */}
        <svg viewBox={`0 0 ${WIDTH} ${height}`}>
          {left.map(({ x, y }) => (
            <path key={y} class="edge" d={curve(x + BOX, y, middle.x, middle.y)} />
          ))}
          {right.map(({ x, y }) => (
            <path key={y} class="edge" d={curve(middle.x + BOX, middle.y, x, y)} />
          ))}
          {left.map((at) => (
            <Node key={at.y} at={at} />
          ))}
          <g class="node is-focus">
            <rect x={middle.x} y={middle.y - 17} width={BOX} height={34} rx={8} />
            <text x={middle.x + BOX / 2} y={middle.y + 4} class="node-name" text-anchor="middle">
              {fitting(oneLine(name), 32)}
            </text>
          </g>
          {right.map((at) => (
            <Node key={at.y} at={at} />
          ))}
        </svg>
      </Scroller>
      <p class="note">
        {counted(callers.length, 'caller')} on the left, {counted(callees.length, 'callee')} on the right
        {hidden > 0 ? `; ${hidden} more are not drawn` : ''}
      </p>
    </>
  )
}
