import type { ComponentChildren } from 'preact'
import type { Entry } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Copy } from '../../part/copy.js'
import { Moment } from '../../part/moment.js'
import { counted, percent } from '../../show/amount.js'
import { oneLine, printable } from '../../show/text.js'

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function project(record: string): string | undefined {
  try {
    const { project: name } = JSON.parse(record)
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

/** The metadata of a record. */
export function Facts({ found }: { found: Entry }) {
  const { entry, confirmations, confidenceNow, verdicts, record } = found
  const name = project(record)
  return (
    <Card title="Details" class="span-3">
      <dl class="facts">
        <Fact name="Id">
          <code class="id">{entry.id}</code>
          <Copy text={entry.id} what="the id" />
        </Fact>
        <Fact name="Scope">{entry.scope}</Fact>
        {name && <Fact name="Project">{oneLine(name)}</Fact>}
        <Fact name="Source">
          <code>{oneLine(entry.source)}</code>
        </Fact>
        <Fact name="Confidence">
          {percent(entry.confidence, 1)}
          {percent(confidenceNow, 1) !== percent(entry.confidence, 1) && `, now ${percent(confidenceNow, 1)}`}
        </Fact>
        {verdicts && (
          <Fact name="Feedback">
            useful {verdicts.useful}, wrong {verdicts.wrong}
          </Fact>
        )}
        <Fact name="Captured">
          <Moment at={entry.createdAt} />
        </Fact>
        <Fact name="Confirmed">{confirmations === 0 ? 'not yet' : counted(confirmations, 'time')}</Fact>
        <Fact name="Expires">{entry.expiresAt ? <Moment at={entry.expiresAt} /> : 'never'}</Fact>
        {found.delivery && found.delivery.state !== 'unknown' && (
          <Fact name="Shared store">
            {found.delivery.state}
            {found.delivery.attempts ? ` after ${counted(found.delivery.attempts, 'attempt')}` : ''}
            {found.delivery.reason ? `: ${oneLine(found.delivery.reason)}` : ''}
          </Fact>
        )}
      </dl>
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
export function Provenance({ found }: { found: Entry }) {
  const { hallmark } = found
  if (!hallmark) return null
  const verdict = VERDICTS[hallmark.state]
  const { stamp } = hallmark
  return (
    <Card title="Provenance" class="span-3">
      <p class={`verdict is-${verdict.tone}`}>
        <strong>{verdict.title}</strong> {verdict.says}
      </p>
      {stamp && (
        <dl class="facts">
          <Fact name="Stamp">
            <code>{oneLine(stamp.schemaVersion)}</code>
          </Fact>
          <Fact name="Tool">
            <code>{oneLine(stamp.toolName)}</code>
            {stamp.toolVersion ? ` ${oneLine(stamp.toolVersion)}` : ''}
          </Fact>
          <Fact name="Stamped">
            <Moment at={stamp.capturedAt} />
          </Fact>
          {stamp.contentHash && (
            <Fact name="Hash">
              <code class="id">{oneLine(stamp.contentHash)}</code>
            </Fact>
          )}
        </dl>
      )}
    </Card>
  )
}

/** The record as its line in the file. */
export function Line({ record }: { record: string }) {
  return (
    <details class="line">
      <summary>The line in the file</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{printable(record)}</pre>
    </details>
  )
}
