import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, type Problem } from '../../connection/problem.js'
import type { Edit, Entry } from '../../connection/shapes.js'
import { Trouble } from '../../part/state.js'
import { TagField } from '../../part/tag-field.js'
import { editRecord } from '../../state/records.js'
import { knownTypes } from '../../state/stores.js'

interface EditFormProps {
  entry: Entry['entry']
  onDone: (id: string | undefined) => void
}

/** Returns only the fields that differ from the stored record. */
function changesOf(entry: Entry['entry'], text: string, type: string, tags: string[], confidence: number): Edit {
  const changes: Edit = {}
  if (text !== entry.text) changes.body = text
  if (type !== entry.type) changes.type = type
  if (tags.join('\n') !== entry.tags.join('\n')) changes.tags = tags
  if (confidence !== entry.confidence) changes.confidence = confidence
  return changes
}

/** A form that writes a new revision; the old one stays in the file. */
export function EditForm({ entry, onDone }: EditFormProps) {
  const [text, setText] = useState(entry.text)
  const [type, setType] = useState(entry.type)
  const [tags, setTags] = useState(entry.tags.join(', '))
  const [confidence, setConfidence] = useState(String(entry.confidence))
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])

  const save = async (): Promise<void> => {
    const labels = tags.split(',').map((tag) => tag.trim())
    const changes = changesOf(entry, text, type.trim(), labels.filter(Boolean), Number(confidence))
    if (Object.keys(changes).length === 0) return onDone(undefined)
    setBusy(true)
    try {
      onDone(await editRecord(entry.id, changes))
    } catch (cause) {
      setProblem(asProblem(cause))
      setBusy(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    if (event.key === 'Escape') onDone(undefined)
  }
  return (
    <form
      class="edit"
      aria-label="Edit"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <label class="field">
        <span>Text</span>
        <textarea
          ref={box}
          rows={Math.min(16, Math.max(5, text.split('\n').length + 1))}
          dir="auto"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="field-row">
        <label class="field">
          <span>Type</span>
          <input
            value={type}
            list="known-types"
            autoComplete="off"
            onInput={(event) => setType(event.currentTarget.value)}
          />
          <datalist id="known-types">
            {knownTypes().map((known) => (
              <option key={known} value={known} />
            ))}
          </datalist>
        </label>
        <TagField label="Tags, separated by commas" value={tags} onChange={setTags} />
        <label class="field">
          <span>Confidence, 0 to 1</span>
          <input
            type="number"
            min="0"
            max="1"
            step="0.05"
            value={confidence}
            onInput={(event) => setConfidence(event.currentTarget.value)}
          />
        </label>
      </div>
      {problem && <Trouble problem={problem} />}
      <div class="form-actions">
        <button type="submit" class="button primary" disabled={isBusy || text.trim() === ''}>
          Save revision
        </button>
        <button type="button" class="button" onClick={() => onDone(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  )
}
