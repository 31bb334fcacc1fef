import type { MemoryRevision } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Moment } from '../../part/moment.js'
import { counted } from '../../show/amount.js'
import { printable, shortId } from '../../show/text.js'
import { addressOf } from '../../state/route.js'

/** All revisions of a record, newest first. */
export function History({ revisions, shownId }: { revisions: MemoryRevision[]; shownId: string }) {
  const newestFirst = [...revisions].reverse()
  return (
    <Card title="History" note={counted(revisions.length, 'revision')} class="history span-6">
      <ol reversed>
        {newestFirst.map((revision) => (
          <li
            key={revision.id}
            class={`is-${revision.state}`}
            aria-current={revision.id === shownId ? 'true' : undefined}
          >
            <p class="history-head">
              <strong>{revision.state}</strong>
              <a href={addressOf('entry', revision.id)}>
                <code>{shortId(revision.id)}</code>
              </a>
              <Moment at={revision.createdAt} />
              {revision.at && (
                <span>
                  until <Moment at={revision.at} />
                </span>
              )}
            </p>
            <p class="history-text" dir="auto">
              {printable(revision.text)}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  )
}
