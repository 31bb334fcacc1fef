import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem } from '../../connection/problem.js'
import type { DeadLetter } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Confirm } from '../../part/dialog.js'
import { Icon } from '../../part/icon.js'
import { Kind } from '../../part/kind.js'
import { Moment } from '../../part/moment.js'
import { Rows } from '../../part/rows.js'
import { Loaded } from '../../part/state.js'
import { counted, whole } from '../../show/amount.js'
import { oneLine, shortId } from '../../show/text.js'
import { tell, tellProblem } from '../../state/notice.js'
import { anvil, letters, report, status } from '../../state/stores.js'

const ROW_HEIGHT = 84

type Action = 'retry' | 'drop'

async function act(action: Action, ids: string[]): Promise<void> {
  try {
    const { count } = await ask<{ count: number }>('/api/dlq', { method: 'POST', body: { action, ids } })
    const what = counted(count, 'dead letter')
    tell(action === 'retry' ? `${what} back in the queue; the next drain tries again.` : `${what} dropped.`)
  } catch (cause) {
    tellProblem(asProblem(cause))
  }
  for (const resource of [letters, anvil, report, status]) resource.touch()
}

interface LetterRowProps {
  letter: DeadLetter
  isChosen: boolean
  isCurrent: boolean
  onChoose: (isChosen: boolean) => void
  onAct: (action: Action) => void
}

function LetterRow({ letter, isChosen, isCurrent, onChoose, onAct }: LetterRowProps) {
  const what = letter.action === 'delete' ? 'Delete from the shared store' : (letter.content ?? letter.id)
  const name = `dead letter ${shortId(letter.id)}`
  const reach = isCurrent ? 0 : -1
  return (
    <div class="letter">
      <input
        type="checkbox"
        checked={isChosen}
        tabIndex={reach}
        aria-label={`Choose ${name}`}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <div class="letter-body">
        <p class="hit-text" dir="auto">
          {oneLine(what)}
        </p>
        <p class="letter-reason">{oneLine(letter.reason)}</p>
        <p class="hit-facts">
          {letter.type && <Kind type={letter.type} />}
          <span class="letter-attempts">{counted(letter.attempts, 'attempt')}</span>
          {letter.failedAt && (
            <span class="hit-end">
              <span>
                undeliverable since <Moment at={letter.failedAt} />
              </span>
            </span>
          )}
        </p>
      </div>
      <div class="letter-actions">
        <button
          type="button"
          class="button small"
          tabIndex={reach}
          aria-label={`Retry ${name}`}
          onClick={() => onAct('retry')}
        >
          <Icon name="retry" />
          Retry
        </button>
        <button
          type="button"
          class="button small quiet"
          tabIndex={reach}
          aria-label={`Drop ${name}`}
          onClick={() => onAct('drop')}
        >
          <Icon name="trash" />
          Drop
        </button>
      </div>
    </div>
  )
}

function LetterList({ found }: { found: DeadLetter[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [dropping, setDropping] = useState<string[]>()
  const here = found.filter(({ id }) => chosen.has(id)).map(({ id }) => id)
  const isAll = here.length === found.length
  const choose = (id: string, isChosen: boolean): void => {
    const next = new Set(here)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  const start = (action: Action, ids: string[]): void => {
    if (action === 'drop') setDropping(ids)
    else void act('retry', ids).then(() => setChosen(new Set()))
  }
  return (
    <>
      <div class="letters-bar">
        <label class="check">
          <input
            type="checkbox"
            checked={isAll}
            onChange={() => setChosen(new Set(isAll ? [] : found.map(({ id }) => id)))}
          />
          {here.length === 0 ? 'Choose all' : `${whole(here.length)} chosen`}
        </label>
        <button type="button" class="button small" disabled={here.length === 0} onClick={() => start('retry', here)}>
          Retry chosen
        </button>
        <button type="button" class="button small" disabled={here.length === 0} onClick={() => start('drop', here)}>
          Drop chosen
        </button>
      </div>
      <Rows
        count={found.length}
        itemAt={(at) => found[at]}
        keyOf={({ id }) => id}
        height={ROW_HEIGHT}
        label="Dead letters"
      >
        {(letter, isCurrent) => (
          <LetterRow
            letter={letter}
            isCurrent={isCurrent}
            isChosen={chosen.has(letter.id)}
            onChoose={(isChosen) => choose(letter.id, isChosen)}
            onAct={(action) => start(action, [letter.id])}
          />
        )}
      </Rows>
      {dropping && (
        <Confirm
          title={`Drop ${counted(dropping.length, 'dead letter')}?`}
          action="Drop"
          onClose={() => setDropping(undefined)}
          onConfirm={() => {
            void act('drop', dropping)
            setDropping(undefined)
            setChosen(new Set())
          }}
        >
          <p>
            Dropped letters are never delivered to the shared store. The memories themselves stay in this project and
            are still recalled here.
          </p>
        </Confirm>
      )}
    </>
  )
}

function NoLetters() {
  const told = anvil.value.value
  if (told && !told.available && told.deadLetters > 0)
    return (
      <p>
        {counted(told.deadLetters, 'dead letter')} in <code>.forge/openbrain-dlq.jsonl</code>; this version cannot send
        them again.
      </p>
    )
  return <p class="all-well">There are none.</p>
}

/** What could not be delivered, why, and what to do with it. */
export function Letters() {
  const total = letters.value.value?.total ?? 0
  return (
    <Card
      title="Dead letters"
      class="span-6"
      note={
        total > 0
          ? `${counted(total, 'delivery', 'deliveries')} failed for good; the memories are safe in the files`
          : undefined
      }
    >
      <Loaded from={letters}>
        {({ letters: found }) => (found.length === 0 ? <NoLetters /> : <LetterList found={found} />)}
      </Loaded>
    </Card>
  )
}
