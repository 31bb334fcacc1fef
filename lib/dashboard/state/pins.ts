import { signal } from '@preact/signals'
import { readPreference, writePreference } from './preferences.js'

const NAME = 'pins'
/** The maximum number of pins; more would push the list off the screen. */
const PINS_MAX = 20

function stored(): string[] {
  try {
    const found = JSON.parse(readPreference(NAME) ?? '[]')
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string').slice(0, PINS_MAX) : []
  } catch {
    return []
  }
}

/** The ids of the pinned records of this browser, the newest pin first. */
export const pins = signal<string[]>(stored())

export function setPins(ids: string[]): void {
  pins.value = ids.slice(0, PINS_MAX)
  writePreference(NAME, JSON.stringify(pins.value))
}

export function togglePin(id: string): void {
  const others = pins.peek().filter((pin) => pin !== id)
  setPins(others.length === pins.peek().length ? [id, ...others] : others)
}
