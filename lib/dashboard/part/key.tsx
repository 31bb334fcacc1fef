interface KeyProps {
  name: string
  /** Whether the key works now. Its room is kept otherwise: a button that moves between press and release is not clicked. */
  isOn: boolean
}

/** The key of a button, for those who see it; the button says what it does. */
export function Key({ name, isOn }: KeyProps) {
  return (
    <span class={`key ${isOn ? '' : 'is-off'}`} aria-hidden="true">
      {name}
    </span>
  )
}
