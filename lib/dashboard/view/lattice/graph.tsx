import { Scroller } from '../../part/scroller.js'
import { Empty } from '../../part/state.js'
import { counted } from '../../show/amount.js'
import { oneLine } from '../../show/text.js'
import { addressOfSymbol, type LatticeChunk, titleOf } from './shapes.js'

const ROW = 44
const SHOWN = 12
const WIDTH = 960
const BOX = 260

interface GraphProps {
  name: string
  callers: LatticeChunk[]
  callees: LatticeChunk[]
  /** How many there are, drawn or not. */
  totals: { callers: number; callees: number }
}

interface Placed {
  symbol: LatticeChunk
  x: number
  y: number
}

function placed(symbols: LatticeChunk[], x: number, height: number): Placed[] {
  const shown = symbols.slice(0, SHOWN)
  const top = (height - shown.length * ROW) / 2
  return shown.map((symbol, at) => ({ symbol, x, y: top + at * ROW + ROW / 2 }))
}

/** Too long a name loses its middle: the beginning and the end tell names apart. */
function fitting(text: string, room: number): string {
  if (text.length <= room) return text
  return `${text.slice(0, Math.ceil(room / 2) - 1)}…${text.slice(-Math.floor(room / 2))}`
}

/** How sure the edge is: a bare name may mean something else. */
function sureness({ resolved, candidates }: LatticeChunk): string {
  if (resolved === undefined) return 'not resolved'
  return candidates === undefined ? `by ${resolved}` : `by ${resolved}, one of ${candidates}`
}

function Node({ at: { symbol, x, y } }: { at: Placed }) {
  const place = `${oneLine(symbol.filePath)}:${symbol.startLine}`
  const title = oneLine(titleOf(symbol))
  return (
    <a href={addressOfSymbol(symbol)} class="node" aria-label={`${title}, ${place}, ${sureness(symbol)}`}>
      <title>{`${oneLine(symbol.signature) || title}\n${place}\n${sureness(symbol)}`}</title>
      <rect x={x} y={y - 17} width={BOX} height={34} rx={8} />
      <text x={x + 12} y={y - 1} class="node-name">
        {fitting(title, 30)}
      </text>
      <text x={x + 12} y={y + 12} class="node-place">
        {fitting(place, 38)}
      </text>
    </a>
  )
}

function Edge({ symbol, from, to }: { symbol: LatticeChunk; from: [number, number]; to: [number, number] }) {
  const isSure = symbol.resolved === 'exact' || symbol.resolved === 'import'
  return <path class={`edge ${isSure ? '' : 'is-guess'}`} d={curve(...from, ...to)} />
}

const curve = (x1: number, y1: number, x2: number, y2: number): string => {
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}

/** Who calls a function, and what it calls; each box leads to its own graph. */
export function CallGraph({ name, callers, callees, totals }: GraphProps) {
  if (callers.length + callees.length === 0)
    return (
      <Empty title={`No calls to or from ${oneLine(name)}`}>Names match as they are written, capitals included.</Empty>
    )
  const height = Math.max(1, Math.min(SHOWN, Math.max(callers.length, callees.length))) * ROW + 16
  const middle = { x: (WIDTH - BOX) / 2, y: height / 2 }
  const left = placed(callers, 0, height)
  const right = placed(callees, WIDTH - BOX, height)
  const hidden = totals.callers + totals.callees - left.length - right.length
  return (
    <>
      <Scroller class="graph" label={`Calls to and from ${oneLine(name)}`}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section around it has the name, and every box its own */}
        <svg viewBox={`0 0 ${WIDTH} ${height}`}>
          {left.map(({ symbol, x, y }) => (
            <Edge key={y} symbol={symbol} from={[x + BOX, y]} to={[middle.x, middle.y]} />
          ))}
          {right.map(({ symbol, x, y }) => (
            <Edge key={y} symbol={symbol} from={[middle.x + BOX, middle.y]} to={[x, y]} />
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
        {counted(totals.callers, 'caller')} on the left, {counted(totals.callees, 'callee')} on the right
        {hidden > 0 ? `; ${hidden} of them are not drawn` : ''}. A dashed line goes by the name alone.
      </p>
    </>
  )
}
