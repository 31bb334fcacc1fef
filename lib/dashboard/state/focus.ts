import { addressOf, go, type ViewName } from './route.js'

let wanted = ''

function focus(selector: string): boolean {
  const target = document.querySelector<HTMLElement>(selector)
  target?.focus()
  return target !== null
}

/** Focuses a part of a view; when that is another view, as soon as it is drawn. */
export function focusOn(view: ViewName, selector: string): void {
  if (focus(selector)) return
  wanted = selector
  go(addressOf(view))
}

/**
 * Places the focus in a view that was just drawn: where it was requested, where the view itself put it, or on its
 * heading, so that users of a keyboard or a screen reader start at the beginning.
 */
export function placeFocus(main: HTMLElement): void {
  const selector = wanted
  wanted = ''
  if (selector !== '' && focus(selector)) return
  const { activeElement } = document
  if (activeElement !== main && main.contains(activeElement)) return
  main.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}
