import { useId } from 'preact/hooks'

interface ChoiceProps<T extends string> {
  label: string
  options: { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}

/** A segmented control: a radio group with the keyboard behaviour of one. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  const name = useId()
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}
