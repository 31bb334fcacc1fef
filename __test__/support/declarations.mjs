// What `index.d.ts` declares of the engine, so that a test of all functions needs no list of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project.mjs'

const text = readFileSync(join(root, 'index.d.ts'), 'utf8')
const bodies = new Map(
  [...text.matchAll(/^export interface (\w+) \{\n(.*?)^\}/gms)].map(([, name, body]) => [name, body]),
)
const members = (name) => [...bodies.get(name).matchAll(/^ {2}(?:readonly )?'?(\w+)'?(\??): (.*)$/gm)]

/** The fields of an interface. */
export const fieldsOf = (name) => members(name).map(([, field]) => field)

/** A value of a type, with which a call gets as far as the arguments behind it. */
function sampleOf(type) {
  const [, literal, name] = /^'(.*?)'|^(\w*)/.exec(type)
  const required = bodies.has(name) ? members(name).filter(([, , mark]) => mark === '') : []
  const plain = { string: 'x', number: 1, boolean: false, Array: [], Uint8Array: new Uint8Array() }
  return literal ?? plain[name] ?? Object.fromEntries(required.map(([, field, , type]) => [field, sampleOf(type)]))
}

/** Every argument that is an object with declared fields: its type, and a call with it of the function, or of what makes an instance. */
export function argumentsOf(api) {
  const found = [...text.matchAll(/^export declare (?:function|class) (\w+)[ (]|^ {2}static (\w+)/gm)]
  return found.flatMap(({ 1: outer, 2: inner, index }, at) => {
    const [, given] = /\((.+)\): /.exec(text.slice(index, text.indexOf('\n', index))) ?? []
    if (given === undefined) return []
    const owner = inner && found.slice(0, at).findLast(([, name]) => name)[1]
    const types = given.split(/, (?![^<{]*[>}])/).map((argument) => argument.split(/\??: /)[1] ?? '')
    return types.flatMap((type, place) => {
      const call = (value) => {
        const values = [...types.slice(0, place).map(sampleOf), value]
        return owner ? api[owner][inner](...values) : api[outer](...values)
      }
      return bodies.has(type) ? [{ name: owner ? `${owner}.${inner}` : outer, type, call }] : []
    })
  })
}
