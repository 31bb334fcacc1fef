import { computed, signal } from '@preact/signals'
import { decoded } from '../../shared/json.js'

export type ViewName = 'home' | 'memories' | 'entry' | 'review' | 'sessions' | 'health'
export interface Route {
  view: ViewName
  id: string
  query: URLSearchParams
}

const VIEWS: ViewName[] = ['home', 'memories', 'entry', 'review', 'sessions', 'health']
const hash = signal(location.hash)

function parse(text: string): Route {
  const [path = '', parameters = ''] = text.replace(/^#\/?/, '').split('?')
  const [name = '', id = ''] = path.split('/')
  const query = new URLSearchParams(parameters)
  const view = VIEWS.find((known) => known === name)
  return { view: view ?? 'home', id: view ? (decoded(id) ?? id) : '', query }
}

/** The subject of a view, apart from filters: another place is rendered anew, and takes the focus. */
export const placeOf = ({ view, id, query }: Route): string => `${view}/${id}/${query.get('symbol') ?? ''}`

export const route = computed(() => parse(hash.value))
window.addEventListener('hashchange', () => {
  hash.value = location.hash
})

export function addressOf(view: ViewName, id = '', query: Record<string, string> = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== '')
  const parameters = new URLSearchParams(filled).toString()
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${parameters === '' ? '' : `?${parameters}`}`
}

/**
 * Opens an address. The view is rendered before the next key arrives, so that text typed right after a shortcut reaches the field
 * that the shortcut focuses.
 */
export function go(address: string): void {
  location.hash = address
  hash.value = location.hash
}

/** Replaces the address without a history entry: typing in a search box is not navigation. */
export function restate(address: string): void {
  history.replaceState(null, '', address)
  hash.value = location.hash
}

/** The last position in the list of records, its address and current row, to which the user returns. */
export const place: { address: string; row: number } = { address: '', row: 0 }

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
