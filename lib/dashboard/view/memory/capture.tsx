import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem, type Problem } from '../../connection/problem.js'
import type { Capture, CaptureOutcome } from '../../connection/shapes.js'
import { Choice } from '../../part/choice.js'
import { Trouble } from '../../part/state.js'
import { percent } from '../../show/amount.js'
import { CAPTURE_TYPES } from '../../show/kind.js'
import { tell } from '../../state/notice.js'
import { addressOf } from '../../state/route.js'

const TYPES = CAPTURE_TYPES.map(({ type }) => ({ value: type, label: type }))

function labelsOf(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}

function announce(outcome: CaptureOutcome): void {
  const link = { text: 'Open it', address: addressOf('entry', outcome.id) }
  const redacted = outcome.redactions > 0 ? ' A secret was removed first.' : ''
  const how = outcome.similarity === undefined ? '' : ` (${percent(outcome.similarity, 1)} alike)`
  const known = `Already known${how}: counted as a confirmation, not stored twice.`
  tell(outcome.deduped ? known : `Captured.${redacted}`, link)
}

/** The box in which people capture what they learned. */
export function CaptureBox({ onCaptured }: { onCaptured?: (text: string) => void }) {
  const [text, setText] = useState('')
  const [type, setType] = useState('lesson')
  const [tags, setTags] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)

  const capture = async (): Promise<void> => {
    if (text.trim() === '' || isBusy) return
    setBusy(true)
    const body: Capture = { type, body: text, tags: labelsOf(tags), tool: 'dashboard' }
    try {
      const outcome = await ask<CaptureOutcome>('/api/memory/capture', { method: 'POST', body })
      announce(outcome)
      setText('')
      setTags('')
      setProblem(undefined)
      onCaptured?.(text)
    } catch (cause) {
      setProblem(asProblem(cause))
    }
    setBusy(false)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void capture()
  }
  return (
    <form
      class="capture"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        void capture()
      }}
    >
      <label class="unseen" for="capture-text">
        What was learned
      </label>
      <textarea
        id="capture-text"
        rows={3}
        value={text}
        dir="auto"
        placeholder="What did you just learn? For example: Jest needs --runInBand on Windows"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="capture-foot">
        <Choice label="Type" options={TYPES} value={type} onChange={setType} />
        <label class="capture-tags">
          <span class="unseen">Tags, separated by commas</span>
          <input value={tags} placeholder="tags, with commas" onInput={(event) => setTags(event.currentTarget.value)} />
        </label>
        <button type="submit" class="button primary" disabled={text.trim() === '' || isBusy}>
          Capture
          <span class="key" aria-hidden="true">
            Ctrl ↵
          </span>
        </button>
      </div>
      {problem && <Trouble problem={problem} />}
    </form>
  )
}
