import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CaptureOutcome } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Moment } from '../../part/marks.js'
import { oneLine, shortId } from '../../show/text.js'
import { keepRecord, replaceRecord } from '../../state/records.js'
import { addressOf } from '../../state/route.js'

interface OthersProps<T> {
  says: string
  memories: T[]
  /** The actions on one. */
  actions: (memory: T) => ComponentChildren
}

/** Memories that a capture concerns, with their texts: the person who wrote it can decide. */
function Others<T extends { id: string; text: string }>({ says, memories, actions }: OthersProps<T>) {
  if (memories.length === 0) return null
  return (
    <>
      <p class="note">{says}</p>
      <ul>
        {memories.map((memory) => (
          <li class="row" key={memory.id} dir="auto">
            <a href={addressOf('entry', memory.id)}>
              {memory.text === '' ? shortId(memory.id) : oneLine(memory.text).slice(0, 300)}
            </a>
            {actions(memory)}
          </li>
        ))}
      </ul>
    </>
  )
}

/** The effects of a captured text on other memories, and those that it may replace. */
export function Offer({ outcome, onDone }: { outcome: CaptureOutcome; onDone: () => void }) {
  const [decided, setDecided] = useState<string[]>([])
  const isOpen = ({ id }: { id: string }) => !decided.includes(id)
  const related = (outcome.related ?? []).filter(isOpen)
  const retired = outcome.retired.filter(isOpen)
  const decide = (id: string) => setDecided([...decided, id])
  if (related.length + retired.length + outcome.conflicts.length === 0) return null
  return (
    <section class="offer" aria-label="What it may replace">
      <Others
        says="It took the place of:"
        memories={retired}
        actions={({ id }) => (
          <Button look="small" onClick={async () => (await keepRecord(id)) !== undefined && decide(id)}>
            Both hold
          </Button>
        )}
      />
      <Others
        says="It contradicts, and both count until you decide:"
        memories={outcome.conflicts}
        actions={() => (
          <a class="button small" href={addressOf('review', 'conflicts')}>
            Decide
          </a>
        )}
      />
      <Others
        says="Is one of these out of date now?"
        memories={related}
        actions={({ id, createdAt }) => (
          <>
            <Moment at={createdAt} />
            <Button look="small" onClick={() => replaceRecord(id, outcome.id).then(() => decide(id))}>
              Replaced
            </Button>
            <Button look="small" onClick={() => decide(id)}>
              Both hold
            </Button>
          </>
        )}
      />
      <Button look="quiet small" onClick={onDone}>
        Done
      </Button>
    </section>
  )
}
