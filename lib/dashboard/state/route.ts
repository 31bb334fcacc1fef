import { computed, signal } from '@preact/signals'

export type ViewName =
  | 'memory'
  | 'records'
  | 'entry'
  | 'review'
  | 'anvil'
  | 'lattice'
  | 'hallmark'
  | 'health'
  | 'injections'
export interface Route {
  view: ViewName
  id: string
  query: URLSearchParams
}

const VIEWS: ViewName[] = [
  'memory',
  'records',
  'entry',
  'review',
  'anvil',
  'lattice',
  'hallmark',
  'health',
  'injections',
]
const hash = signal(location.hash)

function parse(text: string): Route {
  const [path = '', query = ''] = text.replace(/^#\/?/, '').split('?')
  const [view, id = ''] = path.split('/')
  const known = VIEWS.find((name) => name === view) ?? 'memory'
  return { view: known, id: safelyDecoded(id), query: new URLSearchParams(query) }
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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
 * Opens an address. The view is rendered before the next key arrives, so that what is typed right after a shortcut reaches the field
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
