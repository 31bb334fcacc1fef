import { voiceOf } from '../../../text/voice.js'
import type { Entry, MemoryRevision } from '../../connection/shapes.js'
import { Copy } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { Card, Facts, Verdict } from '../../part/panels.js'
import { counted, percent } from '../../show/amount.js'
import { linesOf, oneLine, printable, shortId } from '../../show/text.js'
import { addressOf } from '../../state/route.js'

function project(record: string): string | undefined {
  try {
    const { project: name } = JSON.parse(record)
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

export function Details({ found }: { found: Entry }) {
  const { entry, confirmations, confidenceNow, verdicts, record, delivery } = found
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
          ['Source', <code>{oneLine(entry.source)}</code>],
          ['Confidence', now === stored ? stored : `${stored}, now ${now}`],
          verdicts && ['Feedback', `useful ${verdicts.useful}, wrong ${verdicts.wrong}`],
          ['Captured', <Moment at={entry.createdAt} />],
          ['Confirmed', confirmations === 0 ? 'not yet' : counted(confirmations, 'time')],
          ['Expires', entry.expiresAt ? <Moment at={entry.expiresAt} /> : 'never'],
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

/** All revisions of a record, newest first. */
export function History({ revisions, shownId }: { revisions: MemoryRevision[]; shownId: string }) {
  return (
    <Card title="History" note={counted(revisions.length, 'revision')} class="history span-6">
      <ol reversed>
        {[...revisions].reverse().map(({ id, state, text, createdAt, at }) => (
          <li key={id} class={`is-${state}`} aria-current={id === shownId ? 'true' : undefined}>
            <p class="history-head flow note">
              <strong>{state}</strong>
              <a href={addressOf('entry', id)}>
                <code>{shortId(id)}</code>
              </a>
              <Moment at={createdAt} />
              {at && (
                <span>
                  until <Moment at={at} />
                </span>
              )}
            </p>
            <p class={`history-text ${linesOf(text)}`} dir="auto">
              {printable(text)}
            </p>
          </li>
        ))}
      </ol>
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
