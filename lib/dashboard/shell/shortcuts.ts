import { signal } from '@preact/signals'
import { focusOn } from '../state/focus.js'
import { hasShortcuts, toggleTheme } from '../state/preferences.js'
import { addressOf, go, type ViewName } from '../state/route.js'

export const isHelpOpen = signal(false)

const VIEW_KEYS: Record<string, ViewName> = { m: 'memory', r: 'records', a: 'anvil', l: 'lattice', h: 'hallmark' }
/** How long a `g` waits for the letter of a view. */
const CHORD_MS = 1200

export const SHORTCUTS = [
  { keys: ['/'], does: 'Search the memory' },
  { keys: ['c'], does: 'Capture something' },
  { keys: ['g', 'm'], does: 'Go to Memory' },
  { keys: ['g', 'r'], does: 'Go to Records' },
  { keys: ['g', 'a'], does: 'Go to Anvil' },
  { keys: ['g', 'l'], does: 'Go to Lattice' },
  { keys: ['g', 'h'], does: 'Go to Hallmark' },
  { keys: ['j', 'k'], does: 'Next and previous row of a list' },
  { keys: ['Enter'], does: 'Open the row' },
  { keys: ['e'], does: 'Edit the memory that is open' },
  { keys: ['t'], does: 'Light or dark' },
  { keys: ['?'], does: 'This list' },
]

let chordUntil = 0

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input:not([type=radio]):not([type=checkbox]), textarea, select')
  )
}

function act(event: KeyboardEvent): boolean {
  if (performance.now() < chordUntil) {
    chordUntil = 0
    const view = VIEW_KEYS[event.key]
    if (view) go(addressOf(view))
    return view !== undefined
  }
  if (event.key === 'g') chordUntil = performance.now() + CHORD_MS
  else if (event.key === '/') focusOn('records', '#search')
  else if (event.key === 'c') focusOn('memory', '#capture-text')
  else if (event.key === 't') toggleTheme()
  else if (event.key === '?') isHelpOpen.value = true
  else if (event.key === 'e') document.querySelector<HTMLElement>('[data-shortcut="e"]')?.click()
  else return false
  return true
}

export function startShortcuts(): void {
  window.addEventListener('keydown', (event) => {
    if (!hasShortcuts.peek() || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    if (act(event)) event.preventDefault()
  })
}
