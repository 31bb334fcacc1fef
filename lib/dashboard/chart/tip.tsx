import { Scroller } from '../part/scroller.js'
import { whole } from '../show/amount.js'
import { oneLine } from '../show/text.js'

interface TipProps {
  title: string
  rows: { name: string; colour?: string; value: number | string }[]
}

/** The tooltip of a column. */
export function Tip({ title, rows }: TipProps) {
  return (
    <>
      <p class="tip-title">{title}</p>
      <ul>
        {rows.map(({ name, colour, value }) => (
          <li key={name}>
            <span class={`swatch ${colour ? `fill-${colour}` : ''}`} />
            <span class="tip-name">{oneLine(name)}</span>
            <span class="tip-value">{typeof value === 'number' ? whole(value) : value}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The legend of a chart. */
export function Legend({ entries }: { entries: { name: string; colour: string; count?: number }[] }) {
  return (
    <ul class="legend">
      {entries.map(({ name, colour, count }) => (
        <li key={name}>
          <span class={`swatch fill-${colour}`} aria-hidden="true" />
          {oneLine(name)}
          {count !== undefined && <span class="legend-count">{whole(count)}</span>}
        </li>
      ))}
    </ul>
  )
}

/** The data of a chart as a table, for those who cannot or do not want to read the drawing. */
export function Numbers({ label, head, rows }: { label: string; head: string[]; rows: (string | number)[][] }) {
  return (
    <details class="numbers">
      <summary>Show the numbers</summary>
      <Scroller label={label}>
        <table>
          <thead>
            <tr>
              {head.map((name, at) => (
                <th key={name} scope="col" class={at === 0 ? '' : 'number'}>
                  {oneLine(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row[0]}>
                {row.map((cell, at) => (
                  <td key={head[at]} class={at === 0 ? '' : 'number'}>
                    {typeof cell === 'number' ? whole(cell) : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </details>
  )
}
