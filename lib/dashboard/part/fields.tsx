// Fields that people write into.
import type { ComponentProps } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { linesOf } from '../show/text.js'
import { tags } from '../state/stores.js'
import { Button } from './controls.js'

interface SearchFieldProps {
  id: string
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
}

export function SearchField({ id, label, placeholder, value, onChange }: SearchFieldProps) {
  return (
    <>
      <label class="unseen" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        value={value}
        autoComplete="off"
        placeholder={placeholder}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </>
  )
}

interface Attributes {
  type?: 'text' | 'number' | 'password'
  placeholder?: string
  min?: number
  max?: number
  step?: number
  spellcheck?: boolean
  onFocus?: () => void
}

interface FieldProps {
  label: string
  /** The attributes of the field itself. */
  input?: Attributes
  class?: string
  isLabelHidden?: boolean
  value: string
  /** The suggestions. */
  known?: string[]
  onChange: (value: string) => void
}

export function Field(props: FieldProps) {
  const { label, isLabelHidden = false, class: outer = 'field', value, known, input = {}, onChange } = props
  const id = useId()
  return (
    <label class={outer}>
      <span class={isLabelHidden ? 'unseen' : undefined}>{label}</span>
      <input
        type="text"
        {...(input as { type?: 'text' })}
        {...(known && { list: id })}
        value={value}
        autoComplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {known && (
        <datalist id={id}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  )
}

const SUGGESTED = 200

/** A field for tags with commas, or for one tag, which completes those that the memory has. */
export function TagField({ isOne = false, ...props }: FieldProps & { isOne?: boolean }) {
  const { value } = props
  // The text before the last comma stays: the suggestions complete the last tag.
  const before = isOne ? '' : value.slice(0, value.lastIndexOf(',') + 1)
  const given = new Set(value.split(',').map((tag) => tag.trim()))
  const found = (tags.value.value?.tags ?? []).filter(({ tag }) => isOne || !given.has(tag)).slice(0, SUGGESTED)
  const known = found.map(({ tag }) => (before === '' ? tag : `${before} ${tag}`))
  // Counting the tags of a large memory takes the server a moment: it is asked when they are needed, not at each capture.
  const onFocus = () => void tags.refresh()
  return <Field {...props} known={known} input={{ ...props.input, onFocus }} />
}

interface TextBoxProps {
  label: string
  rows: number
  value: string
  onChange: (value: string) => void
}

/** A field of several lines, which takes the focus. */
export function TextBox({ label, rows, value, onChange }: TextBoxProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <label class="field">
      <span>{label}</span>
      <textarea
        ref={box}
        class={linesOf(value)}
        rows={rows}
        dir="auto"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}

/** A form that the page answers itself: the browser sends nothing. */
export function Form({ onSubmit, ...form }: Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit: () => unknown }) {
  const answer = (event: Event): void => {
    event.preventDefault()
    void onSubmit()
  }
  return <form {...form} onSubmit={answer} />
}

interface TextFormProps {
  name: string
  label: string
  /** The text to begin with. */
  text: string
  action: string
  onText: (text: string) => void
  onClose: () => void
}

export function TextForm({ name, label, text: given, action, onText, onClose }: TextFormProps) {
  const [text, setText] = useState(given)
  return (
    <Form
      class="edit"
      aria-label={name}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      onSubmit={() => onText(text)}
    >
      <TextBox label={label} rows={5} value={text} onChange={setText} />
      <div class="form-actions">
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          {action}
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
