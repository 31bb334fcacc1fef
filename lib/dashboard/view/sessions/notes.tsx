import { useEffect, useMemo } from 'preact/hooks'
import { Plot, type PlotSeries } from '../../chart/plot.js'
import { Legend, Numbers, Tip } from '../../chart/tip.js'
import type { InjectionStats } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Command } from '../../part/copy.js'
import { Kpi, KpiStrip } from '../../part/kpi.js'
import { Scroller } from '../../part/scroller.js'
import { Empty, Loaded } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { counted, duration, percent, short, whole } from '../../show/amount.js'
import { day, mondayOf } from '../../show/moment.js'
import { oneLine } from '../../show/text.js'
import { useResources } from '../../state/resource.js'
import { injections, notes } from '../../state/stores.js'
import { SessionParts } from '../parts.js'
import { Given } from './given.js'

/** The polling interval: hooks run in processes of their own and send the server no events. */
const REFRESH_MS = 5000

const PARTS = [
  { key: 'used' as const, name: 'used', colour: 'good' },
  { key: 'wasted' as const, name: 'wasted', colour: 'other' },
]

/** A stacked column per week: the notes that were used, and those that were not. */
function Weeks({ weeks }: { weeks: InjectionStats['byWeek'] }) {
  const series = useMemo((): PlotSeries[] => {
    return PARTS.map(({ key, name, colour }) => {
      return { label: name, colour: `fill-${colour}`, shape: 'bar', values: weeks.map((week) => week[key]) }
    })
  }, [weeks])
  return (
    <>
      <Legend entries={PARTS} />
      <Plot
        label="Injected notes by week"
        count={weeks.length}
        series={series}
        height={220}
        xLabel="week from"
        yLabel="notes"
        tickOf={(at) => day(mondayOf(weeks[at]?.week ?? ''))}
        wordsOf={(at) => {
          const week = weeks[at]
          return week ? `${week.week}: ${week.injected} injected, ${week.used} used, ${week.wasted} wasted` : ''
        }}
        detailOf={(at) => {
          const week = weeks[at]
          if (!week) return null
          const parts = PARTS.map(({ key, name, colour }) => ({ name, colour, value: week[key] }))
          return <Tip title={week.week} rows={[...parts, { name: 'tokens', value: week.tokens }]} />
        }}
      />
      <Numbers
        label="Injected notes by week"
        head={['Week', 'Injected', 'Used', 'Wasted', 'Tokens']}
        rows={weeks.map(({ week, injected, used, wasted, tokens }) => [week, injected, used, wasted, tokens])}
      />
    </>
  )
}

function Hooks({ hooks }: { hooks: InjectionStats['byHook'] }) {
  return (
    <Scroller label="Injected notes by hook">
      <table>
        <thead>
          <tr>
            <th scope="col">Hook</th>
            {['Injected', 'Used', 'Wasted', 'Tokens'].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
            <th scope="col">Share used</th>
          </tr>
        </thead>
        <tbody>
          {hooks.map(({ hook, injected, used, wasted, tokens }) => (
            <tr key={hook}>
              <th scope="row">
                <code>{oneLine(hook)}</code>
              </th>
              {[injected, used, wasted, tokens].map((value, at) => (
                <td key={at} class="number">
                  {whole(value)}
                </td>
              ))}
              <td>
                <span class="cell-meter">
                  <span class="bar-track" aria-hidden="true">
                    <span
                      class="bar-fill fill-good"
                      style={{ width: `${injected === 0 ? 0 : Math.min(100, (100 * used) / injected)}%` }}
                    />
                  </span>
                  <span class="number">{percent(used, injected)}</span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function Failures({ faults }: { faults: number }) {
  if (faults === 0) return null
  return (
    <p class="note" role="status">
      {counted(faults, 'hook call')} failed; <code>forge-memory doctor</code> says why.
    </p>
  )
}

function Page({ found }: { found: InjectionStats }) {
  if (found.injected === 0)
    return (
      <>
        <Failures faults={found.faults} />
        <Empty title="No note was injected yet">
          <p>
            Hooks add notes to the context of an agent before it edits a file, runs a command or answers a prompt. Set
            them up in the folder of the project:
          </p>
          <Command text="forge-memory init" />
        </Empty>
      </>
    )
  return (
    <>
      <Failures faults={found.faults} />
      <KpiStrip label="Key figures">
        <Kpi label="Injected" value={short(found.injected)} detail={counted(found.tokens, 'token')} />
        <Kpi
          label="Used"
          value={short(found.used)}
          detail={`${percent(found.used, found.injected)} of the injected`}
          tone="good"
        />
        <Kpi label="Wasted" value={short(found.wasted)} detail="no use was seen in the same session" />
        <Kpi label="Hook time" value={duration(found.msP50)} detail={`99 of 100 within ${duration(found.msP99)}`} />
      </KpiStrip>
      <div class="grid">
        <Given />
        <Card title="By week" class="span-6">
          <Weeks weeks={found.byWeek} />
        </Card>
        <Card title="By hook" class="span-6">
          <Hooks hooks={found.byHook} />
        </Card>
      </div>
    </>
  )
}

/** What hooks added to the context of agents, what it cost, and whether it was used. */
export function NotesView() {
  useResources(injections, notes)
  useEffect(() => {
    const timer = window.setInterval(() => {
      injections.touch()
      notes.touch()
    }, REFRESH_MS)
    return () => window.clearInterval(timer)
  }, [])
  return (
    <>
      <Heading title="Notes given">
        Notes that hooks added to the context of agents. A note counts as used when the agent afterwards touched a file
        or ran a command that it names, or cited its id
      </Heading>
      <SessionParts />
      <Loaded from={injections} lines={6}>
        {(found) => <Page found={found} />}
      </Loaded>
    </>
  )
}
