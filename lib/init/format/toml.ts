import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser'
import { isObject } from '../../shared/json.js'
import { type EntryFile, SplicedFile } from './entry-file.js'

/** Edits of one table of a TOML file. */
export class TomlFile extends SplicedFile implements EntryFile {
  private tree!: AST.TOMLProgram

  /** Throws `CORRUPT` when the text is not valid TOML; such a file is never written. */
  constructor(path: string, before: string) {
    super(path, before, 'TOML')
    this.open()
  }

  set(place: string[], value: unknown): void {
    const known = this.tablesOf(place)
    if (isObject(value)) {
      const lines = tableOf(place, value).join(this.eol)
      if (known.length > 0) this.edit(place, () => this.replace(known, lines))
      else this.edit(place, () => this.append(place, lines))
      return
    }
    const parent = place.slice(0, -1)
    const [table] = this.tablesOf(parent)
    if (table === undefined) throw this.inline(parent)
    this.edit(place, () => this.setKey(table, place.at(-1) ?? '', literal(value)))
  }

  source(place: string[]): string | undefined {
    const tables = this.tablesOf(place)
    const [first] = tables
    if (first === undefined) {
      if (this.get(place) !== undefined) throw this.inline(place)
      return undefined
    }
    return this.text.slice(...this.spanOf(tables, place))
  }

  restore(place: string[], source: string): void {
    const tables = this.tablesOf(place)
    if (tables.length > 0) this.edit(place, () => this.replace(tables, source))
  }

  remove(place: string[]): void {
    const tables = this.tablesOf(place)
    if (tables.length === 0) return
    const [start, end] = this.spanOf(tables, place)
    this.edit(place, () => {
      const before = this.text.slice(0, this.lineStart(start))
      const after = this.text.slice(this.lineEnd(end))
      const isLastLine = !this.text.slice(end, this.lineEnd(end)).endsWith('\n')
      // Also removes the empty line and the line end that were added before it.
      const kept = isLastLine ? before.replace(/\r?\n\r?\n$/, '') : before.replace(/(^|\n)\r?\n$/, '$1')
      this.text = kept + after
    })
  }

  protected parse(): void {
    this.tree = parseTOML(this.text)
  }

  protected values(): unknown {
    return getStaticTOMLValue(this.tree)
  }

  private append(place: string[], lines: string): void {
    if (this.get(place) !== undefined) throw this.inline(place)
    if (this.isEmpty) this.text = lines + this.eol
    else if (this.text.endsWith('\n')) this.text += this.eol + lines + this.eol
    else this.text += this.eol + this.eol + lines
  }

  private replace(tables: AST.TOMLTable[], lines: string): void {
    const [start, end] = this.spanOf(tables, [])
    this.splice(start, end, lines)
  }

  private setKey(table: AST.TOMLTable, key: string, value: string): void {
    const known = table.body.find((pair) => pair.key.keys.length === 1 && nameOf(pair.key.keys[0]) === key)
    if (known !== undefined) {
      this.splice(...known.value.range, value)
      return
    }
    // After the last line of the table itself, so that it does not become part of a subtable.
    const last = table.body.at(-1)
    const end = last === undefined ? this.text.indexOf(']', table.key.range[1]) + 1 : last.range[1]
    const line = this.text.slice(end, this.lineEnd(end)).replace(/\r?\n$/, '').length
    this.splice(end + line, end + line, `${this.eol}${keyOf(key)} = ${value}`)
  }

  /** Returns the table at a place and its subtables, in the order of the file; none when it is not written as a table. */
  private tablesOf(place: string[]): AST.TOMLTable[] {
    const tables = this.tree.body[0].body.filter((node): node is AST.TOMLTable => node.type === 'TOMLTable')
    const own = tables.filter(({ resolvedKey }) => place.every((key, at) => resolvedKey[at] === key))
    return own.some(({ resolvedKey }) => resolvedKey.length === place.length) ? own : []
  }

  /** Returns the offsets of adjacent tables. */
  private spanOf(tables: AST.TOMLTable[], place: string[]): [number, number] {
    const [first, last] = [tables[0], tables.at(-1)]
    if (first === undefined || last === undefined) return [0, 0]
    const between = this.tree.body[0].body.filter(
      ({ range }) => range[0] >= first.range[0] && range[1] <= last.range[1],
    )
    if (between.length > tables.length) throw this.unusable(`"${place.join('.')}" has its parts between other tables`)
    return [first.range[0], last.range[1]]
  }

  private inline(place: string[]): Error {
    return this.unusable(`"${place.join('.')}" is written inline; write it as a table, [${place.map(keyOf).join('.')}]`)
  }
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined {
  return key?.type === 'TOMLBare' ? key.name : key?.value
}

function tableOf(place: string[], value: Record<string, unknown>): string[] {
  const pairs = Object.entries(value).map(([key, each]) => `${keyOf(key)} = ${literal(each)}`)
  return [`[${place.map(keyOf).join('.')}]`, ...pairs]
}

function keyOf(name: string): string {
  return /^[\w-]+$/.test(name) ? name : literal(name)
}

/** Serializes a value on one line. JSON strings are TOML basic strings, except for one control character. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (isObject(value))
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${keyOf(key)} = ${literal(each)}`)
      .join(', ')} }`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
