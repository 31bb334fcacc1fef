import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml'
import { isObject } from '../../shared/json.js'
import { type EntryFile, SplicedFile } from './entry-file.js'

const UNIT = '  '

/** Edits of one entry of a YAML file: in a map by name, or in a list of items with a `name`. */
export class YamlFile extends SplicedFile implements EntryFile {
  private document!: Document.Parsed

  /** Throws `CORRUPT` when the text is not valid YAML, or not one map; such a file is never written. */
  constructor(
    path: string,
    before: string,
    private readonly isList = false,
  ) {
    super(path, before, 'YAML')
    this.open()
    const { contents } = this.document
    const isUsable = contents === null || (isMap(contents) && contents.flow !== true)
    if (!isUsable && !(isScalar(contents) && contents.value === null))
      throw this.unusable('it is not a map in block style')
  }

  override expectObject(place: string[]): void {
    if (place.length > 1 || !this.isList) super.expectObject(place)
    else if (this.get(place) != null && !Array.isArray(this.get(place)))
      throw this.unusable(`"${place.join('.')}": expected a list`)
  }

  set(place: string[], value: unknown): void {
    const [list = '', name = '', key] = place
    if (key !== undefined) this.edit(place, () => this.setKey(list, name, key, value))
    else if (isObject(value)) this.edit(place, () => this.setEntry(list, name, value))
  }

  source(place: string[]): string | undefined {
    const span = this.spanOf(place)
    return span === undefined ? undefined : this.text.slice(...span)
  }

  restore(place: string[], source: string): void {
    const span = this.spanOf(place)
    if (span !== undefined) this.edit(place, () => this.splice(...span, source))
  }

  remove(place: string[], keep: number): void {
    const span = this.spanOf(place)
    if (span === undefined) return
    this.edit(place, () => this.splice(...span, ''))
    const list = this.pairOf(this.root, place[0] ?? '')
    const isEmpty = list !== undefined && this.get(place.slice(0, 1)) === null
    if (!isEmpty || place.length <= keep) return
    const start = startOf(list.key)
    const [line, end] = [this.lineStart(start), this.lineEnd(start)]
    // Also removes the empty line and the line end that were added before it.
    const before = this.text.slice(0, line)
    const isLastLine = !this.text.slice(line, end).endsWith('\n')
    const kept = isLastLine ? before.replace(/\r?\n$/, '') : before
    this.edit(place.slice(0, 1), () => {
      this.text = kept + this.text.slice(end)
    })
  }

  protected parse(): void {
    const [document, second] = parseAllDocuments(this.text, { prettyErrors: true }) as Document.Parsed[]
    if (second !== undefined) throw new Error('it has several documents')
    const [error] = document?.errors ?? []
    if (error !== undefined) throw error
    this.document = document ?? parseDocument('')
  }

  protected values(): unknown {
    return this.text.trim() === '' ? {} : (this.document.toJS() ?? {})
  }

  private get root(): YAMLMap | undefined {
    const { contents } = this.document
    return isMap(contents) ? (contents as YAMLMap) : undefined
  }

  private setEntry(list: string, name: string, value: Record<string, unknown>): void {
    const span = this.spanOf([list, name])
    const container = this.pairOf(this.root, list)
    const node = container?.value as Node | null | undefined
    const isFlow = (isMap(node) || isSeq(node)) && node.flow === true && node.items.length > 0
    if (isFlow) throw this.unusable(`"${list}" is written on one line, in braces; write it in lines`)
    if (span !== undefined) {
      this.splice(...span, this.linesOf(name, value, this.columnAt(span[0])))
      return
    }
    if (container === undefined) {
      const indent = this.root?.items[0] === undefined ? 0 : this.columnAt(startOf(this.root.items[0].key))
      const lines = `${' '.repeat(indent)}${list}:${this.eol}${this.linesOf(name, value, indent + UNIT.length)}`
      if (this.text === '' || this.text.endsWith('\n')) this.text += lines
      else this.text += this.eol + lines.replace(/\r?\n$/, '')
      return
    }
    const start = startOf(container.key)
    const items = isMap(node) || isSeq(node) ? node.items : []
    if (items.length === 0) this.dropEmptyValue(container)
    const first = items[0]
    const column = first === undefined ? this.columnAt(start) + UNIT.length : this.columnOfItem(first, start)
    const end = this.lineEnd(start)
    const isOpen = end === this.text.length && !this.text.endsWith('\n')
    const lines = this.linesOf(name, value, column)
    this.splice(end, end, isOpen ? this.eol + lines.replace(/\r?\n$/, '') : lines)
  }

  /** Removes `{}`, `[]`, `null` and `~`, so that lines can follow the key. */
  private dropEmptyValue({ value }: Pair): void {
    const range = (value as Node | null)?.range
    if (range == null) return
    const [start, end] = range
    if (end > start) this.splice(this.text[start - 1] === ' ' ? start - 1 : start, end, '')
  }

  private setKey(list: string, name: string, key: string, value: unknown): void {
    const entry = this.entryOf(list, name)
    if (!isMap(entry) || entry.flow === true)
      throw this.unusable(`"${list}.${name}" is written on one line, in braces; write it in lines`)
    const known = this.pairOf(entry, key)
    const node = known?.value as Node | null | undefined
    if (known !== undefined && node?.range != null) {
      const [start, end] = node.range
      const length = this.text.slice(start, end).trimEnd().length
      this.splice(start, start + length, (length === 0 ? ' ' : '') + inline(value))
      return
    }
    const first = entry.items[0]
    const last = entry.items.at(-1)
    if (first === undefined || last === undefined) return
    const at = ((last.value as Node | null)?.range ?? (last.key as Node).range)?.[1] ?? 0
    const end = this.lineEnd(Math.max(0, this.text.slice(0, at).trimEnd().length - 1))
    const isOpen = !this.text.slice(0, end).endsWith('\n')
    const line = `${' '.repeat(this.columnAt(startOf(first.key)))}${key}: ${inline(value)}`
    this.splice(end, end, isOpen ? this.eol + line : line + this.eol)
  }

  private linesOf(name: string, value: Record<string, unknown>, column: number): string {
    const pairs = Object.entries(value).map(([key, each]) => `${key}: ${inline(each)}`)
    const pad = ' '.repeat(column)
    const lines = this.isList
      ? pairs.map((pair, at) => `${pad}${at === 0 ? '- ' : UNIT}${pair}`)
      : [`${pad}${name}:`, ...pairs.map((pair) => `${pad}${UNIT}${pair}`)]
    return lines.map((line) => line + this.eol).join('')
  }

  /** Returns the offsets of the lines of an entry: its first, and those below it that are indented deeper. */
  private spanOf([list = '', name = '']: string[]): [number, number] | undefined {
    const container = this.pairOf(this.root, list)?.value
    const item = this.itemOf(container, name)
    if (item === undefined) return undefined
    if ((isMap(container) || isSeq(container)) && container.flow === true)
      throw this.unusable(`"${list}" is written on one line, in braces; write it in lines`)
    const start = this.lineStart(item)
    const column = this.columnAt(item)
    let end = this.lineEnd(item)
    for (let next = end; next < this.text.length; ) {
      const after = this.lineEnd(next)
      const line = this.text.slice(next, after)
      const isBlank = line.trim() === ''
      if (!isBlank && line.length - line.trimStart().length <= column) break
      next = after
      if (!isBlank) end = after
    }
    return [start, end]
  }

  /** Returns where an entry begins: its key, or the dash of its item. */
  private itemOf(container: unknown, name: string): number | undefined {
    if (isMap(container)) {
      const pair = this.pairOf(container as YAMLMap, name)
      return pair === undefined ? undefined : startOf(pair.key)
    }
    const item = this.entryIn(container, name)
    return item === undefined ? undefined : this.dashBefore(item)
  }

  private entryOf(list: string, name: string): unknown {
    const container = this.pairOf(this.root, list)?.value
    return isMap(container) ? this.pairOf(container as YAMLMap, name)?.value : this.entryIn(container, name)
  }

  private entryIn(container: unknown, name: string): Node | undefined {
    if (!isSeq(container)) return undefined
    return container.items.find((item) => isMap(item) && item.get('name') === name) as Node | undefined
  }

  private dashBefore(node: Node): number {
    return this.text.lastIndexOf('-', node.range?.[0] ?? 0)
  }

  private columnOfItem(item: unknown, container: number): number {
    if (this.isList) return this.columnAt(this.dashBefore(item as Node))
    const key = (item as Pair).key
    return Math.max(this.columnAt(startOf(key)), this.columnAt(container) + 1)
  }

  private columnAt(offset: number): number {
    const line = this.text.slice(this.lineStart(offset))
    return line.length - line.replace(/^ +/, '').length
  }

  private pairOf(map: YAMLMap | undefined, key: string): Pair | undefined {
    return map?.items.find((pair) => isScalar(pair.key) && pair.key.value === key)
  }
}

function startOf(key: unknown): number {
  return (key as Node).range?.[0] ?? 0
}

/** A value on the line of its key. */
function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim()
}
