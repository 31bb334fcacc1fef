import { effect, signal } from '@preact/signals'

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
/** Whether single keys are shortcuts. They interfere with speech input, so they can be turned off (WCAG 2.1.4). */
export const hasShortcuts = signal(readPreference('shortcuts') !== 'off')

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)')
export const isDark = signal(darkSystem.matches)

const narrowScreen = window.matchMedia('(max-width: 800px)')
/** Whether the page has the width of a phone. */
export const isNarrow = signal(narrowScreen.matches)
const wideScreen = window.matchMedia('(min-width: 1180px)')
/** Whether there is room for a preview beside a list. */
export const isWide = signal(wideScreen.matches)

export function startPreferences(): void {
  const apply = (): void => {
    const chosen = theme.value
    document.documentElement.dataset.theme = chosen
    isDark.value = chosen === 'system' ? darkSystem.matches : chosen === 'dark'
  }
  darkSystem.addEventListener('change', apply)
  narrowScreen.addEventListener('change', ({ matches }) => {
    isNarrow.value = matches
  })
  wideScreen.addEventListener('change', ({ matches }) => {
    isWide.value = matches
  })
  effect(() => {
    apply()
    writePreference('theme', theme.value)
  })
  effect(() => writePreference('shortcuts', hasShortcuts.value ? 'on' : 'off'))
}

export function toggleTheme(): void {
  theme.value = isDark.peek() ? 'light' : 'dark'
}
