import { oneLine } from '../../text/printable.js'

/** Fields for programs alone. */
const OF_PROGRAMS = new Set(['_v', 'seq'])

/** Says the fields of an event in words: `delivered 3, state idle`. Empty fields are left out. */
export function fieldsText(fields: object): string {
  return Object.entries(fields)
    .filter(([name]) => !OF_PROGRAMS.has(name))
    .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
    .map(([name, value]) => `${spaced(name)}${value === true ? '' : ` ${valueText(value)}`}`)
    .join(', ')
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(' ')
  if (typeof value === 'object' && value !== null) return `(${fieldsText(value)})`
  return oneLine(typeof value === 'number' ? String(Math.round(value * 100) / 100) : String(value))
}

const spaced = (name: string): string =>
  oneLine(name).replace(/(?<=[a-z])[A-Z]|_/g, (sign) => ` ${sign.replace('_', '').toLowerCase()}`)
