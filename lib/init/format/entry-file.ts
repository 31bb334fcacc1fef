import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../shared/json.js'
import { messageOf } from '../../shared/problem.js'
import { refusal } from './refusal.js'

/** A settings file of which one entry is edited and everything else keeps its bytes. A place is the path to a value, key by key. */
export interface EntryFile {
  /** Throws unless the value at a place is an object or absent. */
  expectObject(place: string[]): void
  get(place: string[]): unknown
  set(place: string[], value: unknown): void
  /** Returns the source text of a value. */
  source(place: string[]): string | undefined
  /** Sets a value to a source text. */
  restore(place: string[], source: string): void
  /** Removes a value, and then the containers that become empty, up to `keep` levels from the root. */
  remove(place: string[], keep: number): void
  /** True if nothing is left. */
  readonly isEmpty: boolean
  toString(): string
}

const BOM = '\ufeff'
const MEND = 'fix the file by hand, then run the command again; nothing was written'

/**
 * A file that is edited by replacing parts of its text, between offsets that a parser gives. Libraries that print a changed tree
 * reformat the lines of others.
 */
export abstract class SplicedFile {
  protected text: string
  protected readonly eol: string
  private readonly bom: string

  constructor(
    private readonly path: string,
    before: string,
    private readonly format: string,
  ) {
    this.bom = before.startsWith(BOM) ? BOM : ''
    this.text = before.slice(this.bom.length)
    this.eol = before.includes('\r\n') ? '\r\n' : '\n'
  }

  /** Parses the text. Throws the error of the parser. */
  protected abstract parse(): void
  /** Returns all values of the file. */
  protected abstract values(): unknown

  get(place: string[]): unknown {
    return valueAt(this.values(), place)
  }

  expectObject(place: string[]): void {
    const value = this.get(place)
    if (value === undefined || value === null || isObject(value)) return
    throw this.unusable(`"${place.join('.')}": expected a table of settings by name`)
  }

  get isEmpty(): boolean {
    return this.text.trim() === ''
  }

  toString(): string {
    return this.bom + this.text
  }

  /** Parses for the first time. */
  protected open(): void {
    try {
      this.parse()
    } catch (error) {
      throw refusal(this.path, `cannot be read as ${this.format}: ${firstLine(error)}`, MEND)
    }
  }

  protected unusable(why: string): Error {
    return refusal(this.path, `cannot be edited: ${why}`, MEND)
  }

  /** Applies an edit. Throws when it makes the file invalid or changes anything but the value at a place. */
  protected edit(place: string[], change: () => void): void {
    const before = valuesBeside(this.values(), place)
    change()
    try {
      this.parse()
    } catch (error) {
      throw this.unusable(`"${place.join('.')}" does not fit into it as it is written (${firstLine(error)})`)
    }
    if (isDeepStrictEqual(before, valuesBeside(this.values(), place))) return
    throw this.unusable(`"${place.join('.')}" cannot be changed without changing other settings`)
  }

  protected splice(start: number, end: number, content: string): void {
    this.text = this.text.slice(0, start) + content + this.text.slice(end)
  }

  /** Returns where the line of an offset begins. */
  protected lineStart(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1
  }

  /** Returns where the line after that of an offset begins, or the end of the text. */
  protected lineEnd(offset: number): number {
    const end = this.text.indexOf('\n', offset)
    return end < 0 ? this.text.length : end + 1
  }
}

function firstLine(error: unknown): string {
  return (messageOf(error).split('\n')[0] ?? '').replace(/:$/, '')
}

function valueAt(values: unknown, place: string[]): unknown {
  return place.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value.find((each) => isObject(each) && each.name === key)
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, values)
}

/** Returns all values but the one at a place; a container that is empty without it counts as absent. */
function valuesBeside(values: unknown, [key = '', ...rest]: string[]): unknown {
  if (Array.isArray(values)) return values.filter((each) => !isObject(each) || each.name !== key)
  if (!isObject(values)) return values
  const { [key]: inner, ...others } = values
  const left = rest.length === 0 ? undefined : valuesBeside(inner, rest)
  const isEmpty = left === undefined || left === null || Object.keys(left).length === 0
  return isEmpty ? others : { ...others, [key]: left }
}
