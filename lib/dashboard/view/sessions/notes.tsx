import { useEffect } from 'preact/hooks'
import { Columns } from '../../chart/columns.js'
import type { NoteStats } from '../../connection/shapes.js'
import { Command } from '../../part/controls.js'
import { Card, Empty, KeyFigures, Loaded, Share, Table } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { day, mondayOf } from '../../show/moment.js'
import { counted, duration, oneLine, percent, short } from '../../show/text.js'
import { useResources } from '../../state/resource.js'
import { injections, notes } from '../../state/stores.js'
import { SessionParts } from '../parts.js'
import { Given } from './given.js'

/** The polling interval: hooks run in processes of their own and send the server no events. */
const REFRESH_MS = 5000

/** A stacked column per week: the notes that were used, and those that were not. */
function Weeks({ weeks }: { weeks: NoteStats['byWeek'] }) {
  return (
    <Columns
      label="Injected notes by week"
      parts={[
        { name: 'used', colour: 'good', values: weeks.map(({ used }) => used) },
        { name: 'no use seen', colour: 'other', values: weeks.map(({ wasted }) => wasted) },
      ]}
      height={220}
      xLabel="week from"
      yLabel="notes"
      titles={weeks.map(({ week }) => week)}
      tickOf={(at) => day(mondayOf(weeks[at]?.week ?? ''))}
      wordsOf={(at) => `${weeks[at]?.injected} injected`}
      restOf={(at) => [{ name: 'tokens', value: weeks[at]?.tokens ?? 0 }]}
      numbers={{
        head: ['Week', 'Injected', 'Used', 'No use seen', 'Tokens'],
        rows: weeks.map(({ week, injected, used, wasted, tokens }) => [week, injected, used, wasted, tokens]),
      }}
    />
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

function Page({ found }: { found: NoteStats }) {
  const { injected, used, wasted, tokens, msP50, msP99, byWeek, byHook, faults } = found
  if (injected === 0)
    return (
      <>
        <Failures faults={faults} />
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
      <Failures faults={faults} />
      <KeyFigures
        figures={[
          { label: 'Injected', value: short(injected), detail: counted(tokens, 'token') },
          { label: 'Used', value: short(used), detail: `${percent(used, injected)} of the injected`, tone: 'good' },
          { label: 'No use seen', value: short(wasted), detail: 'in the same session' },
          { label: 'Hook time', value: duration(msP50), detail: `99 of 100 within ${duration(msP99)}` },
        ]}
      />
      <div class="grid">
        <Given />
        <Card title="By week" class="span-6">
          <Weeks weeks={byWeek} />
        </Card>
        <Card title="By hook" class="span-6">
          <Table
            label="Injected notes by hook"
            head={['Hook', 'Injected', 'Used', 'No use seen', 'Tokens', 'Share used']}
            texts={[5]}
            rows={byHook.map((one) => [
              <code>{oneLine(one.hook)}</code>,
              one.injected,
              one.used,
              one.wasted,
              one.tokens,
              <Share part={one.used} all={one.injected} />,
            ])}
          />
        </Card>
      </div>
    </>
  )
}

/** The notes that hooks added to the context of agents, their cost, and whether they were used. */
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
