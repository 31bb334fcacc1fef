import { isObject, parsedJson } from '../../../shared/json.js'
import { voiceOf } from '../../../text/voice.js'
import type { Entry, InjectedNotes, MemoryRevision } from '../../connection/shapes.js'
import { usePaged } from '../../part/chosen.js'
import { Button, Copy } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { Card, Facts, Verdict } from '../../part/panels.js'
import { counted, linesOf, oneLine, percent, printable, shortId, whole } from '../../show/text.js'
import { renewRecord } from '../../state/records.js'
import { addressOf } from '../../state/route.js'

function project(record: string): string | undefined {
  const fields = parsedJson(record)
  return isObject(fields) && typeof fields.project === 'string' ? fields.project : undefined
}

/** How often agents were given a memory, and how often they used it. */
function givenTimes(given: InjectedNotes): string {
  if (given.total === 0) return 'not yet'
  const used = given.notes.filter((note) => note.used !== undefined).length
  return `${counted(given.total, 'time')}, used ${counted(used, 'time')}`
}

/** The machine that wrote a memory: a mark tells this one in this folder. */
const MACHINES = { this: 'this one', another: 'another one, or this one before the folder was moved' }

export function Details({ found, given }: { found: Entry; given?: InjectedNotes | undefined }) {
  const { entry, confirmations, confidenceNow, verdicts, machine, record, delivery } = found
  const name = project(record)
  const [stored, now] = [percent(entry.confidence, 1), percent(confidenceNow, 1)]
  return (
    <Card title="Details" class="span-3">
      <Facts
        facts={[
          [
            'Id',
            <>
              <code class="id">{entry.id}</code>
              <Copy text={entry.id} what="the id" />
            </>,
          ],
          ['Scope', entry.scope],
          name && ['Project', oneLine(name)],
          ['Said by', oneLine(voiceOf(found.revisions.at(-1)))],
          machine && ['Machine', MACHINES[machine]],
          ['Source', <code>{oneLine(entry.source)}</code>],
          ['Confidence', now === stored ? stored : `${stored}, now ${now}`],
          given && ['Given to agents', givenTimes(given)],
          verdicts && ['Feedback', `useful ${verdicts.useful}, wrong ${verdicts.wrong}`],
          ['Captured', <Moment at={entry.createdAt} />],
          ['Confirmed', confirmations === 0 ? 'not yet' : counted(confirmations, 'time')],
          ['Expires', entry.expiresAt ? <Expiry found={found} at={entry.expiresAt} /> : 'never'],
          delivery &&
            delivery.state !== 'unknown' && [
              'Shared store',
              delivery.state +
                (delivery.attempts ? ` after ${counted(delivery.attempts, 'attempt')}` : '') +
                (delivery.reason ? `: ${oneLine(delivery.reason)}` : ''),
            ],
        ]}
      />
    </Card>
  )
}

function Expiry({ found: { entry, state }, at }: { found: Entry; at: string }) {
  return (
    <>
      <Moment at={at} />
      {state === 'current' && (
        <Button look="quiet small" icon="retry" onClick={() => renewRecord(entry)}>
          Renew
        </Button>
      )}
    </>
  )
}

const VERDICTS = {
  verified: {
    title: 'Verified',
    says: 'The text is the one that was captured: its hash is the one in the stamp.',
    tone: 'good',
  },
  changed: {
    title: 'Changed',
    says: 'The text is not the one that was captured: the file was changed by hand. Compare it with version control, then edit it here to stamp it again.',
    tone: 'bad',
  },
  absent: { title: 'No stamp', says: 'This memory comes from before stamps, or from another tool.', tone: 'quiet' },
}

/** Where a record comes from, and whether its hallmark still matches. */
export function Provenance({ hallmark }: { hallmark: Entry['hallmark'] | undefined }) {
  if (!hallmark) return null
  const { title, says, tone } = VERDICTS[hallmark.state]
  const { stamp } = hallmark
  return (
    <Card title="Provenance" class="span-3">
      <Verdict title={title} tone={tone}>
        {says}
      </Verdict>
      {stamp && (
        <Facts
          facts={[
            ['Stamp', <code>{oneLine(stamp.schemaVersion)}</code>],
            [
              'Tool',
              <>
                <code>{oneLine(stamp.toolName)}</code>
                {stamp.toolVersion ? ` ${oneLine(stamp.toolVersion)}` : ''}
              </>,
            ],
            ['Stamped', <Moment at={stamp.capturedAt} />],
            stamp.contentHash && ['Hash', <code class="id">{oneLine(stamp.contentHash)}</code>],
          ]}
        />
      )}
    </Card>
  )
}

const PAGE = 20

/** A point on the line of time of a memory: a revision, or the notes of one session. */
type Point = { at: string; revision: MemoryRevision } | { at: string; note: string }

/** The notes of one session are one point. */
function pointsOf(revisions: MemoryRevision[], given: InjectedNotes | undefined): Point[] {
  const sessions = new Map<string, InjectedNotes['notes']>()
  for (const note of given?.notes ?? []) sessions.set(note.session, [...(sessions.get(note.session) ?? []), note])
  const told = [...sessions.values()].map((notes): Point => {
    const [{ at, host, why }] = notes as [InjectedNotes['notes'][number]]
    const times = notes.length === 1 ? '' : ` ${whole(notes.length)} times`
    const used = notes.some((note) => note.used !== undefined) ? ', and it was used' : ''
    return { at, note: `given to ${oneLine(host) || 'an agent'}${times}${why ? ` for ${oneLine(why)}` : ''}${used}` }
  })
  const points = [...revisions.map((revision): Point => ({ at: revision.createdAt, revision })), ...told]
  return points.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).reverse()
}

function Revision({ revision }: { revision: MemoryRevision }) {
  const { id, state, text, createdAt, at } = revision
  return (
    <>
      <p class="history-head flow note">
        <strong>{state}</strong>
        <a href={addressOf('entry', id)}>
          <code>{shortId(id)}</code>
        </a>
        <Moment at={createdAt} />
        <span>said by {oneLine(voiceOf(revision))}</span>
        {at && (
          <span>
            until <Moment at={at} />
          </span>
        )}
      </p>
      <p class={`history-text ${linesOf(text)}`} dir="auto">
        {printable(text)}
      </p>
    </>
  )
}

interface HistoryProps {
  revisions: MemoryRevision[]
  given: InjectedNotes | undefined
  shownId: string
}

/** The life of a record as a line of time, the newest first: its revisions, and the sessions in which agents were given it. */
export function History({ revisions, given, shownId }: HistoryProps) {
  const [shown, more] = usePaged(pointsOf(revisions, given), PAGE, 'small')
  return (
    <Card title="History" note={counted(revisions.length, 'revision')} class="history span-6">
      <ol reversed>
        {shown.map((point) =>
          'revision' in point ? (
            <li
              key={point.revision.id}
              class={`is-${point.revision.state}`}
              aria-current={point.revision.id === shownId ? 'true' : undefined}
            >
              <Revision revision={point.revision} />
            </li>
          ) : (
            <li key={`${point.at} ${point.note}`} class="history-head flow note">
              <span>{point.note}</span>
              <Moment at={point.at} />
            </li>
          ),
        )}
      </ol>
      {more}
    </Card>
  )
}

export function Line({ record }: { record: string }) {
  return (
    <details class="line note">
      <summary>The line in the file</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0}>{printable(record)}</pre>
    </details>
  )
}
