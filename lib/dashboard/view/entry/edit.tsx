import { useState } from 'preact/hooks'
import type { Edit, Entry } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { Field, Form, TagField, TextBox } from '../../part/fields.js'
import { Trouble } from '../../part/panels.js'
import { useAttempt } from '../../state/notice.js'
import { editRecord, labelsOf } from '../../state/records.js'
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
  const { isBusy, problem, attempt } = useAttempt()

  const save = async (): Promise<void> => {
    const changes = changesOf(entry, text, type.trim(), labelsOf(tags), Number(confidence))
    if (Object.keys(changes).length === 0) return onDone(undefined)
    await attempt(async () => onDone(await editRecord(entry.id, changes)))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    if (event.key === 'Escape') onDone(undefined)
  }
  return (
    <Form class="edit" aria-label="Edit" onKeyDown={onKeyDown} onSubmit={save}>
      <TextBox
        label="Text"
        rows={Math.min(16, Math.max(5, text.split('\n').length + 1))}
        value={text}
        onChange={setText}
      />
      <div class="field-row">
        <Field label="Type" known={knownTypes()} value={type} onChange={setType} />
        <TagField label="Tags, separated by commas" value={tags} onChange={setTags} />
        <Field
          label="Confidence, 0 to 1"
          input={{ type: 'number', min: 0, max: 1, step: 0.05 }}
          value={confidence}
          onChange={setConfidence}
        />
      </div>
      {problem && <Trouble problem={problem} />}
      <div class="form-actions">
        <Button type="submit" look="primary" disabled={isBusy || text.trim() === ''}>
          Save revision
        </Button>
        <Button onClick={() => onDone(undefined)}>Cancel</Button>
      </div>
    </Form>
  )
}
