import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { suggestType } from '../../../text/suggested-type.js'
import type { CaptureOutcome } from '../../connection/shapes.js'
import { Button, Choice } from '../../part/controls.js'
import { Form, TagField } from '../../part/fields.js'
import { Trouble } from '../../part/panels.js'
import { linesOf } from '../../show/text.js'
import { useAttempt } from '../../state/notice.js'
import { captureText, labelsOf } from '../../state/records.js'
import { knownTypes } from '../../state/stores.js'
import { Offer } from './offer.js'

/** The number of types to choose from; the editor of a memory knows them all. */
const TYPES_MAX = 8

/** Makes a field as high as its text, however its lines are wrapped; an empty one has one line. */
function fitHeight(field: HTMLTextAreaElement): void {
  field.style.height = ''
  if (field.value === '') return
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`
}

/** One line in which people capture a lesson. It grows with the text; type and tags are asked for once there is some. */
export function CaptureBox({ onCaptured }: { onCaptured?: (text: string) => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  const [tags, setTags] = useState('')
  const { isBusy, problem, attempt } = useAttempt()
  const [outcome, setOutcome] = useState<CaptureOutcome>()
  const isEmpty = text.trim() === ''
  const suggested = suggestType(text)
  const type = chosen || suggested
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    if (field.current) fitHeight(field.current)
  }, [text])

  const capture = async (): Promise<void> => {
    if (isEmpty || isBusy) return
    await attempt(async () => {
      setOutcome(await captureText({ type, body: text, tags: labelsOf(tags) }))
      setText('')
      setTags('')
      setChosen('')
      onCaptured?.(text)
    })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void capture()
    // Single keys are for the page again; what was written stays.
    if (event.key === 'Escape') field.current?.blur()
  }
  return (
    <Form class="capture column" aria-label="Capture" onKeyDown={onKeyDown} onSubmit={capture}>
      <div class="capture-line">
        <label class="unseen" for="capture-text">
          What was learned
        </label>
        <textarea
          id="capture-text"
          ref={field}
          class={linesOf(text)}
          rows={1}
          value={text}
          dir="auto"
          placeholder="Capture: what did you just learn?"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" look="primary" disabled={isEmpty || isBusy}>
          Capture
          <span class="key" aria-hidden="true">
            Ctrl ↵
          </span>
        </Button>
      </div>
      {!isEmpty && (
        <div class="row">
          <Choice
            label="Type"
            options={knownTypes()
              .slice(0, TYPES_MAX)
              .map((value) => ({ value, label: value }))}
            value={type}
            onChange={setChosen}
          />
          <TagField
            label="Tags, separated by commas"
            isLabelHidden={true}
            class="capture-tags"
            input={{ placeholder: 'tags, with commas' }}
            value={tags}
            onChange={setTags}
          />
        </div>
      )}
      {outcome && isEmpty && <Offer outcome={outcome} onDone={() => setOutcome(undefined)} />}
      {problem && <Trouble problem={problem} />}
    </Form>
  )
}
