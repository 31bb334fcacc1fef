import { percent, whole } from '../show/amount.js'
import { oneLine } from '../show/text.js'

export interface Bar {
  name: string
  count: number
  colour?: string
  address?: string
}

interface BarsProps {
  bars: Bar[]
  label: string
  limit?: number
  /** Whether the counts are parts of a whole, so that percentages make sense. */
  hasShares?: boolean
}

/** A horizontal bar chart of named counts, the largest first; the largest bar has the full width. */
export function Bars({ bars, label, limit = 8, hasShares = true }: BarsProps) {
  const sorted = [...bars].sort((a, b) => b.count - a.count || a.name.localeCompare(b.name))
  const largest = sorted[0]?.count ?? 0
  const total = bars.reduce((sum, bar) => sum + bar.count, 0)
  const rest = sorted.slice(limit)
  return (
    <ul class={`bars ${hasShares ? '' : 'without-shares'}`} aria-label={label}>
      {sorted.slice(0, limit).map((bar) => (
        <li key={bar.name}>
          <span class="bar-name" title={oneLine(bar.name)}>
            {bar.address ? <a href={bar.address}>{oneLine(bar.name)}</a> : oneLine(bar.name)}
          </span>
          <span class="bar-count">{whole(bar.count)}</span>
          {hasShares && <span class="bar-share">{percent(bar.count, total)}</span>}
          <span class="bar-track" aria-hidden="true">
            <span
              class={`bar-fill fill-${bar.colour ?? 'plain'}`}
              style={{ width: `${largest === 0 ? 0 : (100 * bar.count) / largest}%` }}
            />
          </span>
        </li>
      ))}
      {rest.length > 0 && (
        <li class="bars-rest">
          <span class="bar-name">{whole(rest.length)} more</span>
          <span class="bar-count">{whole(rest.reduce((sum, bar) => sum + bar.count, 0))}</span>
        </li>
      )}
    </ul>
  )
}
