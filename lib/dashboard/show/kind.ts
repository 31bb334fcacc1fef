const NAMED = ['gotcha', 'lesson', 'decision', 'pattern', 'convention']

/** The name of the colour that a type has everywhere on the page. */
export function kindColour(type: string): string {
  return NAMED.includes(type) ? type : 'other'
}

export const CAPTURE_TYPES = [
  { type: 'lesson', says: 'what worked, or did not' },
  { type: 'gotcha', says: 'a trap and the way round it' },
  { type: 'decision', says: 'what was chosen, and why' },
  { type: 'pattern', says: 'a way of doing things that recurs' },
  { type: 'convention', says: 'how things are named or laid out' },
]
