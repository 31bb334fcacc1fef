import { addressOf, go, type ViewName } from './route.js'

let wanted = ''

function focus(selector: string): boolean {
  const target = document.querySelector<HTMLElement>(selector)
  target?.focus()
  return target !== null
}

/** Moves the focus to a part of a view; in another view, as soon as that is rendered. */
export function focusOn(view: ViewName, selector: string): void {
  if (focus(selector)) return
  wanted = selector
  go(addressOf(view))
}

/**
 * Places the focus in a view that was just rendered: where it was requested, else where the view itself put it, else on its
 * heading.
 */
export function placeFocus(main: HTMLElement): void {
  const selector = wanted
  wanted = ''
  if (selector !== '' && focus(selector)) return
  const { activeElement } = document
  if (activeElement !== main && main.contains(activeElement)) return
  main.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}
