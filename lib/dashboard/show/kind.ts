import { signal } from '@preact/signals'

const NAMED = ['gotcha', 'lesson', 'decision', 'pattern', 'convention']
/** The number of colours for user-defined types. */
const OWN_COLOURS = 8

/** The colours of the user-defined types of this memory. */
const own = signal<ReadonlyMap<string, string>>(new Map())

/** A hash of the name, so that a type keeps its colour when others are added or removed. */
function placeOf(type: string): number {
  let sum = 0
  for (const letter of type) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return sum % OWN_COLOURS
}

/** Assigns each type a colour of its own while there are enough; further types share them. */
export function learnKinds(types: string[]): void {
  const colours = new Map<string, string>()
  const taken = new Set<number>()
  for (const type of types.filter((type) => !NAMED.includes(type)).sort()) {
    let place = placeOf(type)
    for (let tries = 0; taken.has(place) && tries < OWN_COLOURS; tries += 1) place = (place + 1) % OWN_COLOURS
    taken.add(place)
    colours.set(type, `own-${place + 1}`)
  }
  const isSame = colours.size === own.peek().size && [...colours].every(([type, name]) => own.peek().get(type) === name)
  if (!isSame) own.value = colours
}

/** Returns the name of a type's colour, which is the same everywhere on the page. */
export function kindColour(type: string): string {
  if (NAMED.includes(type)) return type
  return own.value.get(type) ?? `own-${placeOf(type) + 1}`
}

export const CAPTURE_TYPES = [
  { type: 'lesson', says: 'what worked, or did not' },
  { type: 'gotcha', says: 'a pitfall, and how to avoid it' },
  { type: 'decision', says: 'what was chosen, and why' },
  { type: 'pattern', says: 'a way of doing things that recurs' },
  { type: 'convention', says: 'how things are named or laid out' },
]
