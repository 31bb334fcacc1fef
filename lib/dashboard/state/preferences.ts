import { computed, effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

export function readPreference(name: string): string | null {
  try {
    return window.localStorage.getItem(`forge-memory-${name}`)
  } catch {
    return null
  }
}

export function writePreference(name: string, value: string): void {
  try {
    window.localStorage.setItem(`forge-memory-${name}`, value)
  } catch {
    // Some private modes refuse storage; the choice then lasts as long as the page.
  }
}

const storedTheme = readPreference('theme')
export const theme = signal<Theme>(storedTheme === 'light' || storedTheme === 'dark' ? storedTheme : 'system')
/** True if single keys are shortcuts. They interfere with speech input, so they can be turned off (WCAG 2.1.4). */
export const hasShortcuts = signal(readPreference('shortcuts') !== 'off')

/** True if the screen is as the query says, now and later. */
function screenIs(query: string) {
  const list = window.matchMedia(query)
  const is = signal(list.matches)
  list.addEventListener('change', ({ matches }) => {
    is.value = matches
  })
  return is
}

/** True if the page has the width of a phone. */
export const isNarrow = screenIs('(max-width: 800px)')
/** True if there is room for a preview beside a list. */
export const isWide = screenIs('(min-width: 1180px)')
const isDarkSystem = screenIs('(prefers-color-scheme: dark)')

export const isDark = computed(() => (theme.value === 'system' ? isDarkSystem.value : theme.value === 'dark'))

export function startPreferences(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value
    writePreference('theme', theme.value)
  })
  effect(() => writePreference('shortcuts', hasShortcuts.value ? 'on' : 'off'))
}

export function toggleTheme(): void {
  theme.value = isDark.peek() ? 'light' : 'dark'
}

/** The maximum number of pins; more would push the list off the screen. */
const PINS_MAX = 20

function stored(): string[] {
  try {
    const found = JSON.parse(readPreference('pins') ?? '[]')
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string').slice(0, PINS_MAX) : []
  } catch {
    return []
  }
}

/** The ids of the pinned records of this browser, the newest pin first. */
export const pins = signal<string[]>(stored())

export function togglePin(id: string): void {
  const others = pins.peek().filter((pin) => pin !== id)
  pins.value = (others.length === pins.peek().length ? [id, ...others] : others).slice(0, PINS_MAX)
  writePreference('pins', JSON.stringify(pins.value))
}
