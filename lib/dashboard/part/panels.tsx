// The parts of views: cards, figures, facts, tables, bars, and placeholders for them while there is nothing.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Problem } from '../connection/problem.js'
import { oneLine, percent, printable, whole } from '../show/text.js'
import type { Resource } from '../state/resource.js'
import { Button } from './controls.js'
import { fill, Icon } from './marks.js'

interface CardProps {
  title: string
  note?: ComponentChildren
  actions?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A panel with a heading, which screen readers list as a region of that name. */
export function Card({ title, note, actions, class: extra = '', children }: CardProps) {
  const id = useId()
  return (
    <section class={`card ${extra}`} aria-labelledby={id}>
      <header class="card-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p class="note">{note}</p>}
        </div>
        {actions && <div class="form-actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}

export interface Figure {
  label: string
  value: ComponentChildren
  unit?: string | undefined
  detail?: ComponentChildren
  tone?: 'good' | 'warning' | 'bad' | undefined
}

/** The key figures of a view, each with its label and detail. */
export function KeyFigures({ figures }: { figures: Figure[] }) {
  return (
    <section class="figures" aria-label="Key figures">
      <dl class="kpis">
        {figures.map(({ label, value, unit, detail, tone }) => (
          <div class="kpi" key={label}>
            <dt>{label}</dt>
            <dd>
              <span class="kpi-value" style={tone && { color: `var(--${tone})` }}>
                {value}
              </span>
              {unit && <span class="kpi-unit note">{unit}</span>}
              <span class="kpi-detail note clip">{detail ?? '\u00a0'}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

export type Fact = [name: string, value: ComponentChildren]

/** Names and values; without the facts that are `undefined` or empty. `isEven` gives both the same room. */
export function Facts({
  facts,
  isEven = false,
}: {
  facts: (Fact | false | undefined | null | '')[]
  isEven?: boolean
}) {
  return (
    <dl class="facts column">
      {facts.map(
        (fact) =>
          fact && (
            <div class={`fact ${isEven ? 'is-even' : ''}`} key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

interface VerdictProps {
  tone: string
  title: string
  /** True if screen readers announce a change of it. */
  isStatus?: boolean
  children?: ComponentChildren
}

/** How something stands: a word, and its meaning. */
export function Verdict({ tone, title, isStatus = false, children }: VerdictProps) {
  return (
    <p class={`verdict is-${tone}`} role={isStatus ? 'status' : undefined}>
      <strong>{title}</strong> {children}
    </p>
  )
}

interface TableProps {
  label: string
  head: string[]
  /** The columns that hold no numbers, besides the first one. */
  texts?: number[]
  /** The cells of each row; the first one names it. */
  rows: ComponentChildren[][]
}

/** A table in a frame that scrolls. The frame is a tab stop, so that arrow keys can scroll it. */
export function Table({ label, head, texts = [], rows }: TableProps) {
  const classOf = (at: number) => (at === 0 || texts.includes(at) ? undefined : 'number')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section class="table-frame" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((title, at) => (
              <th key={title} scope="col" class={classOf(at)}>
                {oneLine(title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], row) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              {cells.map((cell, at) => (
                <td key={head[at + 1]} class={classOf(at + 1)}>
                  {typeof cell === 'number' ? whole(cell) : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A share of a whole as a bar; nothing has a bar of no width. */
function Track({ part, all, colour }: { part: number; all: number; colour: string }) {
  const width = `${all === 0 ? 0 : Math.min(100, (100 * part) / all)}%`
  return (
    <span class="bar-track" aria-hidden="true">
      <span class="bar-fill" style={{ width, ...fill(colour) }} />
    </span>
  )
}

/** A share of a whole in a cell of a table. */
export function Share({ part, all }: { part: number; all: number }) {
  return (
    <span class="cell-meter">
      <Track part={part} all={all} colour="good" />
      <span class="number">{percent(part, all)}</span>
    </span>
  )
}

interface BarsProps {
  bars: { name: string; count: number; colour?: string; address?: string }[]
  label: string
  limit?: number
  /** True if the counts are parts of a whole, so that percentages make sense. */
  hasShares?: boolean
}

/** A horizontal bar chart of named counts, the largest first; the largest bar has the full width. */
export function Bars({ bars, label, limit = 8, hasShares = true }: BarsProps) {
  const sorted = [...bars].sort((a, b) => b.count - a.count || a.name.localeCompare(b.name))
  const largest = sorted[0]?.count ?? 0
  const total = bars.reduce((sum, bar) => sum + bar.count, 0)
  const rest = sorted.slice(limit)
  return (
    <ul class={`bars column ${hasShares ? '' : 'without-shares'}`} aria-label={label}>
      {sorted.slice(0, limit).map(({ name, count, colour = 'plain', address }) => (
        <li key={name}>
          <span class="bar-name clip" title={oneLine(name)}>
            {address ? <a href={address}>{oneLine(name)}</a> : oneLine(name)}
          </span>
          <span class="number">{whole(count)}</span>
          {hasShares && <span class="number faint">{percent(count, total)}</span>}
          <Track part={count} all={largest} colour={colour} />
        </li>
      ))}
      {rest.length > 0 && (
        <li class="faint">
          <span class="bar-name clip">{whole(rest.length)} more</span>
          <span class="number">{whole(rest.reduce((sum, bar) => sum + bar.count, 0))}</span>
        </li>
      )}
    </ul>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  )
}

export function Trouble({ problem, onRetry }: { problem: Problem; onRetry?: () => unknown }) {
  return (
    <div class="trouble" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{printable(problem.message)}</strong> <code>{problem.code}</code>
        </p>
        <p>{printable(problem.hint)}</p>
        {onRetry && (
          <Button look="small" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

export function Waiting({ lines = 3 }: { lines?: number }) {
  return (
    <div class="waiting" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <span class="bone" key={at} />
      ))}
    </div>
  )
}

interface LoadedProps<T> {
  from: Pick<Resource<T>, 'value' | 'problem' | 'refresh'>
  lines?: number
  children: (value: T) => ComponentChildren
}

/** Shows a resource, its loading state or its error. While the server is away, the last values stay. */
export function Loaded<T>({ from, lines = 3, children }: LoadedProps<T>) {
  const value = from.value.value
  const problem = from.problem.value
  if (value !== undefined) return <>{children(value)}</>
  if (problem) return <Trouble problem={problem} onRetry={from.refresh} />
  return <Waiting lines={lines} />
}
