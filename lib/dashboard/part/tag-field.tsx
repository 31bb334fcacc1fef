import { useId } from 'preact/hooks'
import { tags } from '../state/stores.js'

interface TagFieldProps {
  label: string
  value: string
  placeholder?: string
  /** Whether it takes one tag instead of several with commas. */
  isOne?: boolean
  isLabelHidden?: boolean
  class?: string
  onChange: (value: string) => void
}

const SUGGESTED = 200

/** A field for tags, which completes those that the memory has. */
export function TagField(props: TagFieldProps) {
  const { label, value, placeholder, isOne = false, isLabelHidden = false, class: extra = 'field', onChange } = props
  const id = useId()
  // What stands before the last comma stays: the suggestions complete the last tag.
  const before = isOne ? '' : value.slice(0, value.lastIndexOf(',') + 1)
  const given = new Set(value.split(',').map((tag) => tag.trim()))
  const known = (tags.value.value?.tags ?? []).filter(({ tag }) => isOne || !given.has(tag)).slice(0, SUGGESTED)
  return (
    <label class={extra}>
      <span class={isLabelHidden ? 'unseen' : undefined}>{label}</span>
      <input
        value={value}
        list={id}
        autoComplete="off"
        placeholder={placeholder}
        // Counting the tags of a large memory takes the server a moment: it is asked when they are needed, not at each capture.
        onFocus={() => void tags.refresh()}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={id}>
        {known.map(({ tag }) => (
          <option key={tag} value={before === '' ? tag : `${before} ${tag}`} />
        ))}
      </datalist>
    </label>
  )
}
