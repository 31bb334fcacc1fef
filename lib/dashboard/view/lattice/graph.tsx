import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LatticeChunk } from '../../connection/shapes.js'
import { Empty } from '../../part/panels.js'
import { counted, oneLine } from '../../show/text.js'
import { addressOf } from '../../state/route.js'

/** Qualifies a method with its type, because many methods share a name. */
export function titleOf({ owner, name, filePath }: LatticeChunk): string {
  if (name === '') return filePath
  return owner ? `${owner}.${name}` : name
}

export function addressOfSymbol(chunk: LatticeChunk): string {
  return addressOf('health', 'code', { symbol: chunk.id, name: titleOf(chunk) })
}

const ROW = 44
const BOX_HEIGHT = 34
const BOX_MAX = 460
/** The least room for the lines between two columns. */
const GAP = 72
/** Below this width, callers and callees stand above and below the function instead of beside it. */
const NARROW = 640
/** On a narrow screen, the lines run at the left of the boxes. */
const SPINE = 10
const INDENT = 24
const SHOWN_MIN = 8
const SHOWN_MAX = 25
/** The minimum height below the graph. */
const BELOW = 120
const LETTER = 8.1
const SMALL_LETTER = 6.1

interface GraphProps {
  name: string
  callers: LatticeChunk[]
  callees: LatticeChunk[]
  /** All callers and callees, including those not drawn. */
  totals: { callers: number; callees: number }
}

type Side = 'callers' | 'callees'

interface Placed {
  symbol: LatticeChunk
  side: Side
  index: number
  x: number
  y: number
}

interface Drawing {
  width: number
  height: number
  box: number
  focus: { x: number; y: number }
  nodes: Placed[]
  edge: (at: Placed) => string
}

const curve = (x1: number, y1: number, x2: number, y2: number): string => {
  const middle = (x1 + x2) / 2
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
}

/** Callers on the left, callees on the right: as wide as the page. */
function drawBeside(width: number, callers: LatticeChunk[], callees: LatticeChunk[]): Drawing {
  // A side without boxes leaves its room to the others.
  const sides = Math.min(1, callers.length) + Math.min(1, callees.length)
  const box = Math.min(BOX_MAX, (width - sides * GAP) / (sides + 1))
  const height = Math.max(1, callers.length, callees.length) * ROW + 8
  const column = (symbols: LatticeChunk[], side: Side, x: number): Placed[] => {
    const top = (height - symbols.length * ROW) / 2
    return symbols.map((symbol, index) => ({ symbol, side, index, x, y: top + index * ROW + ROW / 2 }))
  }
  const x = callers.length === 0 ? 0 : callees.length === 0 ? width - box : (width - box) / 2
  const focus = { x, y: height / 2 }
  return {
    width,
    height,
    box,
    focus,
    nodes: [...column(callers, 'callers', 0), ...column(callees, 'callees', width - box)],
    edge: ({ side, x, y }) =>
      side === 'callers' ? curve(x + box, y, focus.x, focus.y) : curve(focus.x + box, focus.y, x, y),
  }
}

/** Callers above, callees below: for a phone. */
function drawBelow(width: number, callers: LatticeChunk[], callees: LatticeChunk[]): Drawing {
  const box = width - INDENT
  const place = (symbols: LatticeChunk[], side: Side, first: number): Placed[] =>
    symbols.map((symbol, index) => ({ symbol, side, index, x: INDENT, y: (first + index) * ROW + ROW / 2 }))
  const focus = { x: INDENT, y: callers.length * ROW + ROW / 2 }
  return {
    width,
    height: (callers.length + 1 + callees.length) * ROW,
    box,
    focus,
    nodes: [...place(callers, 'callers', 0), ...place(callees, 'callees', callers.length + 1)],
    edge: ({ y }) => `M${INDENT} ${y}H${SPINE}V${focus.y}H${INDENT}`,
  }
}

/** Shortens a long name in the middle: its beginning and end distinguish it. */
function fitting(text: string, room: number): string {
  if (text.length <= room) return text
  return `${text.slice(0, Math.ceil(room / 2) - 1)}…${text.slice(-Math.floor(room / 2))}`
}

/** Says how certain an edge is: a bare name may have several candidates. */
function sureness({ resolved, candidates }: LatticeChunk): string {
  if (resolved === undefined) return 'not resolved'
  return candidates === undefined ? `by ${resolved}` : `by ${resolved}, one of ${candidates}`
}

function Node({ at, box, isReachable }: { at: Placed; box: number; isReachable: boolean }) {
  const { symbol, side, index, x, y } = at
  const place = `${oneLine(symbol.filePath)}:${symbol.startLine}`
  const title = oneLine(titleOf(symbol))
  return (
    <a
      href={addressOfSymbol(symbol)}
      class="node"
      tabIndex={isReachable ? 0 : -1}
      data-side={side}
      data-index={index}
      aria-label={`${title}, ${place}, ${sureness(symbol)}`}
    >
      <title>{`${oneLine(symbol.signature) || title}\n${place}\n${sureness(symbol)}`}</title>
      <rect x={x + 1} y={y - BOX_HEIGHT / 2} width={box - 2} height={BOX_HEIGHT} rx={8} />
      <text x={x + 12} y={y - 1} class="node-name">
        {fitting(title, Math.floor((box - 24) / LETTER))}
      </text>
      <text x={x + 12} y={y + 12} class="node-place">
        {fitting(place, Math.floor((box - 24) / SMALL_LETTER))}
      </text>
    </a>
  )
}

function isSure({ resolved }: LatticeChunk): boolean {
  return resolved === 'exact' || resolved === 'import'
}

/** The width of an element, followed as it changes; 0 until it is known. */
function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const host = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const frame = host.current
    if (!frame) return
    setWidth(frame.clientWidth)
    const observer = new ResizeObserver(() => setWidth(frame.clientWidth))
    observer.observe(frame)
    return () => observer.disconnect()
  }, [])
  return [host, width]
}

/** True if the last box was opened by the keyboard: then the next graph takes the focus, so that the walk goes on. */
let isWalking = false

const STEPS: Record<string, (side: Side, index: number) => [Side, number]> = {
  ArrowUp: (side, index) => [side, index - 1],
  ArrowDown: (side, index) => [side, index + 1],
  ArrowLeft: (_, index) => ['callers', index],
  ArrowRight: (_, index) => ['callees', index],
  Home: (side) => [side, 0],
  End: (side) => [side, Number.MAX_SAFE_INTEGER],
}

/** Finds the box that a key leads to; a side without boxes is passed by. */
function boxAt(nodes: Placed[], side: Side, index: number): Placed | undefined {
  const same = nodes.filter((node) => node.side === side)
  return same[Math.max(0, Math.min(same.length - 1, index))]
}

function Boxes({ name, drawing }: { name: string; drawing: Drawing }) {
  const { width, height, box, focus, nodes, edge } = drawing
  const svg = useRef<SVGSVGElement>(null)
  const [at, setAt] = useState<Placed | undefined>(nodes[0])
  const current = nodes.find(({ side, index }) => side === at?.side && index === at.index) ?? nodes[0]
  const focusOn = ({ side, index }: Placed): void =>
    svg.current?.querySelector<SVGAElement>(`[data-side="${side}"][data-index="${index}"]`)?.focus()
  useEffect(() => {
    if (isWalking && current) focusOn(current)
    isWalking = false
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') isWalking = true
    const step = STEPS[event.key]
    if (!step || !current || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = boxAt(nodes, ...step(current.side, current.index))
    if (!next) return
    setAt(next)
    focusOn(next)
  }
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the section around it has the name, and every box its own
    <svg ref={svg} width={width} height={height} viewBox={`0 0 ${width} ${height}`} onKeyDown={onKeyDown}>
      {nodes.map((node) => (
        <path
          key={`${node.side} ${node.index}`}
          class={`edge ${isSure(node.symbol) ? '' : 'is-guess'}`}
          d={edge(node)}
        />
      ))}
      {nodes.map((node) => (
        <Node key={`${node.side} ${node.index}`} at={node} box={box} isReachable={node === current} />
      ))}
      <g class="node is-focus">
        <rect x={focus.x} y={focus.y - BOX_HEIGHT / 2} width={box} height={BOX_HEIGHT} rx={8} />
        <text x={focus.x + box / 2} y={focus.y + 4} class="node-name" text-anchor="middle">
          {fitting(oneLine(name), Math.floor((box - 24) / LETTER))}
        </text>
      </g>
    </svg>
  )
}

/** How many boxes of a column fit on the screen below the place where the graph begins. */
function roomBelow(top: number): number {
  return Math.max(SHOWN_MIN, Math.min(SHOWN_MAX, Math.floor((window.innerHeight - top - BELOW) / ROW)))
}

/**
 * A function with its callers on one side and its callees on the other; each box links to its own graph. It is one tab stop: arrows
 * move among the boxes.
 */
export function CallGraph({ name, callers, callees, totals }: GraphProps) {
  const [host, width] = useWidth()
  if (callers.length + callees.length === 0)
    return (
      <Empty title={`No calls to or from ${oneLine(name)}`}>Names match as they are written, capitals included.</Empty>
    )
  const top = host.current?.getBoundingClientRect().top ?? 0
  const shown = roomBelow(Math.max(0, top + window.scrollY))
  const draw = width < NARROW ? drawBelow : drawBeside
  const some = [callers.slice(0, shown), callees.slice(0, shown)] as const
  const hidden = totals.callers + totals.callees - some[0].length - some[1].length
  const [left, right] = width < NARROW ? ['above', 'below'] : ['on the left', 'on the right']
  return (
    <>
      <section class="graph" aria-label={`Calls to and from ${oneLine(name)}`}>
        <div ref={host}>{width > 0 && <Boxes name={name} drawing={draw(width, ...some)} />}</div>
      </section>
      <p class="note">
        {counted(totals.callers, 'caller')} {left}, {counted(totals.callees, 'callee')} {right}
        {hidden > 0 ? `; ${hidden} of them are not drawn` : ''}. A dashed line was resolved by name alone.
      </p>
    </>
  )
}
