import { ask } from '../../connection/http.js'
import type { Check } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Icon } from '../../part/marks.js'
import { Card, Loaded } from '../../part/panels.js'
import { counted, printable } from '../../show/text.js'
import { notify, useWork } from '../../state/notice.js'
import { touchAll } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'
import { checks } from '../../state/stores.js'
import { Named } from '../hit.js'

/** A button that runs a lossless repair of a finding. */
function Mend({ fix, subject }: { fix: NonNullable<Check['fix']>; subject: string }) {
  const [isBusy, start] = useWork()
  const mend = async (): Promise<void> => {
    await ask('/api/memory/health', { method: 'POST', body: { fix: fix.name } })
      .then(() => notify('Done. Everything was checked again.'))
      .finally(touchAll)
    await checks.refresh()
  }
  return (
    <Button look="small" disabled={isBusy} label={`${fix.label}: ${subject}`} onClick={() => start(mend)}>
      {isBusy ? 'Working…' : fix.label}
    </Button>
  )
}

const ID = /(mem_[0-9a-f]{32})/

/** What a check says, as a sentence; memories are named by their headlines. */
function Sentence({ text }: { text: string }) {
  const said = printable(text.charAt(0).toUpperCase() + text.slice(1))
  return (
    <span>
      {said.split(ID).map((part) =>
        ID.test(part) ? (
          <a key={part} href={addressOf('entry', part)}>
            <Named id={part} />
          </a>
        ) : (
          part
        ),
      )}
      {/[.!?:]$/.test(said) ? '' : '.'}
    </span>
  )
}

function Finding({ check }: { check: Check }) {
  const { severity, code, subject, message, hint, fix } = check
  const isWell = severity === 'ok'
  return (
    <li class={`finding is-${severity}`}>
      <Icon name={isWell ? 'check' : 'warning'} />
      <div>
        <p>
          <span class="unseen">{severity}: </span>
          <Sentence text={message} />
        </p>
        <p class="note flow">
          <code title={code}>{printable(subject)}</code> {hint && printable(hint)}
        </p>
      </div>
      {fix && <Mend fix={fix} subject={printable(subject)} />}
    </li>
  )
}

const ORDER = { problem: 0, warning: 1, ok: 2 }

/** The findings of `forge-memory doctor`. */
export function Findings() {
  const found = checks.value.value?.findings ?? []
  const count = (severity: Check['severity']): number => found.filter((check) => check.severity === severity).length
  const said = `${counted(count('problem'), 'problem')}, ${counted(count('warning'), 'warning')}`
  return (
    <Card
      title="Checks"
      class="span-6"
      note={found.length > 0 ? said : undefined}
      actions={
        <Button look="small" icon="retry" onClick={checks.refresh}>
          Check again
        </Button>
      }
    >
      <Loaded from={checks} lines={4}>
        {({ findings }) => (
          <ul class="findings" aria-label="Findings">
            {[...findings]
              .sort((a, b) => ORDER[a.severity] - ORDER[b.severity])
              .map((check) => (
                <Finding key={`${check.code} ${check.subject} ${check.message}`} check={check} />
              ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
