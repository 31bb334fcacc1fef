import type { HallmarkCoverage } from '../../connection/shapes.js'
import { fill, Moment, Swatch } from '../../part/marks.js'
import { Card, Empty, KeyFigures, Loaded, Share, Table } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { counted, oneLine, percent, short, shortId, whole } from '../../show/text.js'
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
          <span key={key} style={{ width: `${(100 * found[key]) / found.total}%`, ...fill(colour) }} />
        ))}
      </div>
      <ul class="meter-legend">
        {PARTS.map(({ key, name, colour, says }) => (
          <li class="row" key={key}>
            <Swatch colour={colour} />
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

function Changed({ ids }: { ids: string[] }) {
  if (ids.length === 0) return <p class="faint">None: every stamped text is the one that was captured.</p>
  return (
    <>
      <p class="note">
        These lines were changed by hand. Compare them with version control; editing a memory here stamps it again.
      </p>
      <ul class="named flow">
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
  const { total, stamped, verified, changed, absent, byTool, changedIds, checkedAt } = found
  if (total === 0)
    return (
      <Empty title="Nothing to check yet">
        Every record gets a stamp when it is captured. <a href={addressOf('home')}>Capture something</a>, and come back.
      </Empty>
    )
  return (
    <>
      <KeyFigures
        figures={[
          { label: 'Coverage', value: percent(stamped, total), detail: `of ${counted(total, 'record')}` },
          {
            label: 'Verified',
            value: short(verified),
            detail: `${percent(verified, stamped)} of the stamped`,
            tone: 'good',
          },
          {
            label: 'Changed',
            value: short(changed),
            detail: changed > 0 ? 'look at them below' : 'none',
            tone: changed > 0 ? 'bad' : undefined,
          },
          { label: 'Without a stamp', value: short(absent), detail: `${percent(absent, total)} of all` },
        ]}
      />
      <div class="grid">
        <Card
          title="Coverage"
          class="span-6"
          note={
            <>
              Checked <Moment at={checkedAt} />
            </>
          }
        >
          <Coverage found={found} />
        </Card>
        <Card title="By tool" class="span-4">
          <Table
            label="Coverage by tool"
            head={['Tool', 'Records', 'Stamped', 'Coverage']}
            texts={[3]}
            rows={byTool.map((one) => [
              <code>{oneLine(one.tool)}</code>,
              one.total,
              one.stamped,
              <Share part={one.stamped} all={one.total} />,
            ])}
          />
        </Card>
        <Card
          title="Changed records"
          class="span-2"
          note={changed > changedIds.length && `the first ${changedIds.length}`}
        >
          <Changed ids={changedIds} />
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
