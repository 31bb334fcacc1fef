import type { HallmarkCoverage } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Kpi, KpiStrip } from '../../part/kpi.js'
import { Moment } from '../../part/moment.js'
import { Scroller } from '../../part/scroller.js'
import { Empty, Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { counted, percent, short, whole } from '../../show/amount.js'
import { oneLine, shortId } from '../../show/text.js'
import { useResources } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'
import { hallmark } from '../../state/stores.js'
import { HealthParts } from '../parts.js'

const PARTS = [
  { key: 'verified' as const, name: 'verified', colour: 'good', says: 'the text is the one that was stamped' },
  { key: 'changed' as const, name: 'changed', colour: 'bad', says: 'the text differs from the stamp' },
  { key: 'absent' as const, name: 'without a stamp', colour: 'other', says: 'from before stamps, or from other tools' },
]

function Coverage({ found }: { found: HallmarkCoverage }) {
  return (
    <>
      <div class="meter" aria-hidden="true">
        {PARTS.filter(({ key }) => found[key] > 0).map(({ key, colour }) => (
          <span key={key} class={`fill-${colour}`} style={{ width: `${(100 * found[key]) / found.total}%` }} />
        ))}
      </div>
      <ul class="meter-legend">
        {PARTS.map(({ key, name, colour, says }) => (
          <li key={key}>
            <span class={`swatch fill-${colour}`} aria-hidden="true" />
            <strong>
              {whole(found[key])} {name}
            </strong>
            <span class="note">{says}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function Tools({ byTool }: { byTool: HallmarkCoverage['byTool'] }) {
  return (
    <Scroller label="Coverage by tool">
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" class="number">
              Records
            </th>
            <th scope="col" class="number">
              Stamped
            </th>
            <th scope="col">Coverage</th>
          </tr>
        </thead>
        <tbody>
          {byTool.map(({ tool, total, stamped }) => (
            <tr key={tool}>
              <th scope="row">
                <code>{oneLine(tool)}</code>
              </th>
              <td class="number">{whole(total)}</td>
              <td class="number">{whole(stamped)}</td>
              <td>
                <span class="cell-meter">
                  <span class="bar-track" aria-hidden="true">
                    <span
                      class="bar-fill fill-good"
                      style={{ width: `${total === 0 ? 0 : (100 * stamped) / total}%` }}
                    />
                  </span>
                  <span class="number">{percent(stamped, total)}</span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function Changed({ ids }: { ids: string[] }) {
  if (ids.length === 0) return <p class="all-well">None: every stamped text is the one that was captured.</p>
  return (
    <>
      <p class="note">
        These lines were changed by hand. Compare them with version control; editing a memory here stamps it again.
      </p>
      <ul class="changed">
        {ids.map((id) => (
          <li key={id}>
            <a href={addressOf('entry', id)}>
              <code>{shortId(id)}</code>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

function Page({ found }: { found: HallmarkCoverage }) {
  if (found.total === 0)
    return (
      <Empty title="Nothing to check yet">
        Every record gets a stamp when it is captured. <a href={addressOf('home')}>Capture something</a>, and come back.
      </Empty>
    )
  return (
    <>
      <KpiStrip label="Key figures">
        <Kpi
          label="Coverage"
          value={percent(found.stamped, found.total)}
          detail={`of ${counted(found.total, 'record')}`}
        />
        <Kpi
          label="Verified"
          value={short(found.verified)}
          detail={`${percent(found.verified, found.stamped)} of the stamped`}
          tone="good"
        />
        <Kpi
          label="Changed"
          value={short(found.changed)}
          tone={found.changed > 0 ? 'bad' : 'plain'}
          detail={found.changed > 0 ? 'look at them below' : 'none'}
        />
        <Kpi
          label="Without a stamp"
          value={short(found.absent)}
          detail={`${percent(found.absent, found.total)} of all`}
        />
      </KpiStrip>
      <div class="grid">
        <Card
          title="Coverage"
          class="span-6"
          note={
            <>
              Checked <Moment at={found.checkedAt} />
            </>
          }
        >
          <Coverage found={found} />
        </Card>
        <Card title="By tool" class="span-4">
          <Tools byTool={found.byTool} />
        </Card>
        <Card
          title="Changed records"
          class="span-2"
          note={found.changed > found.changedIds.length ? `the first ${found.changedIds.length}` : undefined}
        >
          <Changed ids={found.changedIds} />
        </Card>
      </div>
    </>
  )
}

/** How many records have a valid hallmark. */
export function HallmarkView() {
  useResources(hallmark)
  return (
    <>
      <Heading title="Provenance">
        Hallmark: a stamp on each record says which tool captured it, and proves that it has not been changed since
      </Heading>
      <HealthParts />
      <Loaded from={hallmark} lines={6}>
        {(found) => <Page found={found} />}
      </Loaded>
    </>
  )
}
