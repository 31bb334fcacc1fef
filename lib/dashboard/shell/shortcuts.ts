import { signal } from '@preact/signals'
import { mainList } from '../part/rows.js'
import { hasShortcuts, toggleTheme } from '../state/preferences.js'
import { addressOf, focusOn, go, type ViewName } from '../state/route.js'

export const isHelpOpen = signal(false)
export const isPaletteOpen = signal(false)

const VIEW_KEYS: Record<string, [view: ViewName, id?: string]> = {
  h: ['home'],
  m: ['memories'],
  r: ['review'],
  s: ['sessions'],
  e: ['health'],
  d: ['health', 'delivery'],
  c: ['health', 'code'],
  p: ['health', 'provenance'],
}
/** The keys that open a view, if there are any. */
export function keysTo(view: ViewName, id: string): string | undefined {
  const found = Object.entries(VIEW_KEYS).find(([, [name, part = '']]) => name === view && part === id)
  return found && `g ${found[0]}`
}

/** How long after `g` the second key of a shortcut is accepted. */
const CHORD_MS = 1200

/** The key that opens the palette together with `K`, as this system calls it. */
export const COMMAND_KEY = /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘' : 'Ctrl'

export const SHORTCUTS = [
  { keys: [COMMAND_KEY, 'K'], does: 'Search, capture, go somewhere, act on a record' },
  { keys: ['/'], does: 'Search the memory' },
  { keys: ['c'], does: 'Capture something' },
  { keys: ['g', 'h'], does: 'Go to Home' },
  { keys: ['g', 'm'], does: 'Go to Memories' },
  { keys: ['g', 'r'], does: 'Go to Review' },
  { keys: ['g', 's'], does: 'Go to Sessions' },
  { keys: ['g', 'e'], does: 'Go to Health' },
  { keys: ['g', 'd'], does: 'Go to Delivery' },
  { keys: ['g', 'c'], does: 'Go to Code graph' },
  { keys: ['g', 'p'], does: 'Go to Provenance' },
  { keys: ['j', 'k'], does: 'Next and previous row of a list' },
  { keys: ['Enter'], does: 'Open the row' },
  { keys: ['Esc'], does: 'Back: to the list, to the search' },
  { keys: ['x'], does: 'Select the row' },
  { keys: ['u'], does: 'Undo the last change' },
  { keys: ['p'], does: 'Pin the row' },
  { keys: ['e'], does: 'Edit the memory that is open' },
  { keys: ['y', 'n', 's'], does: 'Accept, reject, skip in a review' },
  { keys: ['1', '2', 'b', 'm'], does: 'The newer holds, the older, both, merge' },
  { keys: ['Shift', '→', '↵'], does: 'Select columns of a chart, zoom in; Esc: back' },
  { keys: ['t'], does: 'Light or dark' },
  { keys: ['?'], does: 'This list' },
]

let chordUntil = 0

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input:not([type=radio]):not([type=checkbox]), textarea, select')
  )
}

/** Presses the button of the view that has declared this key. */
function press(key: string): boolean {
  const target = document.querySelector<HTMLElement>(`[data-shortcut~="${CSS.escape(key)}"]`)
  target?.click()
  return target !== null
}

function act(event: KeyboardEvent): boolean {
  if (performance.now() < chordUntil) {
    chordUntil = 0
    const view = VIEW_KEYS[event.key]
    if (view) go(addressOf(...view))
    return view !== undefined
  }
  if (event.key === 'g') chordUntil = performance.now() + CHORD_MS
  else if (event.key === '/') focusOn('memories', '#search')
  else if (event.key === 'c') focusOn('home', '#capture-text')
  else if (event.key === 't') toggleTheme()
  else if (event.key === '?') isHelpOpen.value = true
  else if (event.key === 'j' || event.key === 'k') return mainList.current?.move(event.key) ?? false
  else return /^([a-z0-9]|Escape)$/.test(event.key) && press(event.key)
  return true
}

function isOfPalette({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey
}

export function startShortcuts(): void {
  window.addEventListener('keydown', (event) => {
    if (isOfPalette(event)) {
      event.preventDefault()
      if (!document.querySelector('dialog[open]')) isPaletteOpen.value = true
      else if (isPaletteOpen.peek()) isPaletteOpen.value = false
      return
    }
    if (!hasShortcuts.peek() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    if (act(event)) event.preventDefault()
  })
}
