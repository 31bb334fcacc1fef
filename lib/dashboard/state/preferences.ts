import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

function read(name: string): string | null {
  try {
    return window.localStorage.getItem(`forge-memory-${name}`)
  } catch {
    return null
  }
}

function write(name: string, value: string): void {
  try {
    window.localStorage.setItem(`forge-memory-${name}`, value)
  } catch {
    // Storage is refused in some private modes; the choice then lasts as long as the page.
  }
}

const storedTheme = read('theme')
export const theme = signal<Theme>(storedTheme === 'light' || storedTheme === 'dark' ? storedTheme : 'system')
/** Single keys as shortcuts get in the way of speech input, so they can be turned off. */
export const hasShortcuts = signal(read('shortcuts') !== 'off')

const darkSystem = window.matchMedia('(prefers-color-scheme: dark)')
export const isDark = signal(darkSystem.matches)

export function startPreferences(): void {
  const apply = (): void => {
    const chosen = theme.value
    document.documentElement.dataset.theme = chosen
    isDark.value = chosen === 'system' ? darkSystem.matches : chosen === 'dark'
  }
  darkSystem.addEventListener('change', apply)
  effect(() => {
    apply()
    write('theme', theme.value)
  })
  effect(() => write('shortcuts', hasShortcuts.value ? 'on' : 'off'))
}

export function toggleTheme(): void {
  theme.value = isDark.peek() ? 'light' : 'dark'
}
