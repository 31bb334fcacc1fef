import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { DeadLetter } from '../../connection/shapes.js'
import { ChooseAll, useChosen } from '../../part/chosen.js'
import { Button } from '../../part/controls.js'
import { Confirm } from '../../part/dialog.js'
import { Kind, Moment } from '../../part/marks.js'
import { Card, Loaded } from '../../part/panels.js'
import { Rows } from '../../part/rows.js'
import { counted, oneLine, shortId, whole } from '../../show/text.js'
import { notify, tried } from '../../state/notice.js'
import { anvil, letters, report, status } from '../../state/stores.js'

const ROW_HEIGHT = 84

type Action = 'retry' | 'drop'

async function act(action: Action, ids: string[]): Promise<void> {
  await tried(async () => {
    const { count } = await ask<{ count: number }>('/api/dlq', { method: 'POST', body: { action, ids } })
    const what = counted(count, 'delivery', 'deliveries')
    notify(action === 'retry' ? `${what} back in the queue; the next drain tries again.` : `${what} dropped.`)
  })
  for (const resource of [letters, anvil, report, status]) resource.touch()
}

interface LetterRowProps {
  letter: DeadLetter
  isChosen: boolean
  isCurrent: boolean
  onChoose: () => void
  onAct: (action: Action) => void
}

function LetterRow({ letter, isChosen, isCurrent, onChoose, onAct }: LetterRowProps) {
  const name = `delivery ${shortId(letter.id)}`
  const reach = isCurrent ? 0 : -1
  return (
    <div class="letter">
      <input type="checkbox" checked={isChosen} tabIndex={reach} aria-label={`Select ${name}`} onChange={onChoose} />
      <div>
        <p class="hit-text" dir="auto">
          {letter.action === 'store' ? oneLine(letter.content) : `To ${letter.action} in the shared store`}
        </p>
        <p class="letter-reason clip">{oneLine(letter.reason)}</p>
        <p class="hit-line hit-facts note">
          {letter.type && <Kind type={letter.type} />}
          <span class="letter-attempts">{counted(letter.attempts, 'attempt')}</span>
          {letter.failedAt && (
            <span class="hit-end">
              <span>
                failed <Moment at={letter.failedAt} />
              </span>
            </span>
          )}
        </p>
      </div>
      <div class="letter-actions">
        <Button look="small" icon="retry" reach={reach} label={`Retry ${name}`} onClick={() => onAct('retry')}>
          Retry
        </Button>
        <Button look="small quiet" icon="trash" reach={reach} label={`Drop ${name}`} onClick={() => onAct('drop')}>
          Drop
        </Button>
      </div>
    </div>
  )
}

function LetterList({ found }: { found: DeadLetter[] }) {
  const [dropping, setDropping] = useState<string[]>()
  const chosen = useChosen(found.map(({ id }) => id))
  const { here } = chosen
  const start = (action: Action, ids: string[]): void => {
    if (action === 'drop') setDropping(ids)
    else void act('retry', ids).then(() => chosen.set([]))
  }
  return (
    <>
      <div class="row letters-bar">
        <ChooseAll chosen={chosen}>{here.length === 0 ? 'Select all' : `${whole(here.length)} selected`}</ChooseAll>
        <Button look="small" disabled={here.length === 0} onClick={() => start('retry', here)}>
          Retry selected
        </Button>
        <Button look="small" disabled={here.length === 0} onClick={() => start('drop', here)}>
          Drop selected
        </Button>
      </div>
      <Rows
        count={found.length}
        itemAt={(at) => found[at]}
        keyOf={({ id }) => id}
        height={ROW_HEIGHT}
        label="Failed deliveries"
      >
        {(letter, isCurrent) => (
          <LetterRow
            letter={letter}
            isCurrent={isCurrent}
            isChosen={chosen.has(letter.id)}
            onChoose={() => chosen.toggle(letter.id)}
            onAct={(action) => start(action, [letter.id])}
          />
        )}
      </Rows>
      {dropping && (
        <Confirm
          title={`Drop ${counted(dropping.length, 'failed delivery', 'failed deliveries')}?`}
          action="Drop"
          onClose={() => setDropping(undefined)}
          onConfirm={() => {
            void act('drop', dropping)
            setDropping(undefined)
            chosen.set([])
          }}
        >
          <p>
            They are never delivered to the shared store. The memories themselves stay in this project and are still
            recalled here.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** The dead letters: records that could not be delivered, with the reason and the actions on them. */
export function Letters() {
  const total = letters.value.value?.total ?? 0
  const said = `${counted(total, 'delivery', 'deliveries')} given up (dead letters); the records are safe in the files`
  return (
    <Card title="Failed deliveries" class="span-6" note={total > 0 && said}>
      <Loaded from={letters}>
        {({ letters: found }) =>
          found.length === 0 ? <p class="faint">There are none.</p> : <LetterList found={found} />
        }
      </Loaded>
    </Card>
  )
}
