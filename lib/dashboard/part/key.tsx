/** The key of a button, for those who see it; the button says what it does. */
export function Key({ name }: { name: string }) {
  return (
    <span class="key" aria-hidden="true">
      {name}
    </span>
  )
}
