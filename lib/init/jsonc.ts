import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { depthOf, isBlank, TOKEN, type Token, tokensOf } from '../shared/json-comments.js'
import { refusal } from './refusal.js'

/** Settings are a handful of levels deep; the parser calls itself for each. */
const LEVELS_MAX = 200
const MEND = 'fix the file by hand, then run the command again; nothing was written'
const BOM = '\ufeff'

/** Changes to a configuration file that keep comments, order and layout of everything else. */
export class JsoncFile {
  private text: string
  private tree: Node
  private readonly bom: string
  private readonly eol: string
  /** One step of indentation. */
  private readonly unit: string

  /** Throws `CORRUPT` when the text is no JSON (with comments): such a file is never written. */
  constructor(
    private readonly path: string,
    private readonly before: string,
  ) {
    this.bom = before.startsWith(BOM) ? BOM : ''
    const bare = before.slice(this.bom.length)
    this.eol = before.includes('\r\n') ? '\r\n' : '\n'
    this.text = bare.trim() === '' ? `{}${this.eol}` : bare
    if (depthOf(this.text) > LEVELS_MAX) throw this.unreadable(`it is more than ${LEVELS_MAX} levels deep`)
    this.tree = this.parsed()
    if (this.tree.type !== 'object') throw this.unreadable('it is not an object')
    this.refuseDuplicateKeys([])
    const [, first] = /\n([ \t]+)\S/.exec(this.text) ?? []
    this.unit = first ?? '  '
  }

  get(path: JSONPath): unknown {
    const node = this.nodeAt(path)
    // The library's objects have no prototype, and equal no others.
    return node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)))
  }

  /** Returns a value as it is written. */
  source(path: JSONPath): string | undefined {
    const node = this.nodeAt(path)
    return node && this.text.slice(node.offset, node.offset + node.length)
  }

  /** Returns the names in an object, in order; none when there is none. */
  keys(path: JSONPath): string[] {
    const node = this.nodeAt(path)
    return node?.type === 'object' ? (node.children ?? []).map((property) => property.children?.[0]?.value) : []
  }

  /** Throws unless there is an object at a path, or nothing. A key that occurs twice cannot be edited either. */
  expectObject(path: JSONPath): void {
    this.expect(path, 'object', 'an object')
    this.refuseDuplicateKeys(path)
  }

  /** Throws unless there is a list at a path, or nothing. */
  expectList(path: JSONPath): void {
    this.expect(path, 'array', 'a list')
  }

  /** Sets a value; nothing is touched when it is there already. */
  set(path: JSONPath, value: unknown): void {
    if (!isDeepStrictEqual(this.get(path), value)) this.change(path, value)
  }

  /** Puts a value back as it was written. */
  restore(path: JSONPath, source: string): void {
    const node = this.nodeAt(path)
    if (node !== undefined) this.splice(node.offset, node.offset + node.length, source)
  }

  /** Adds an element at the end of a list, which is made when it is missing. */
  add(path: JSONPath, element: unknown): void {
    const list = this.get(path)
    if (Array.isArray(list)) this.change([...path, list.length], element)
    else this.change(path, [element])
  }

  /** Takes a value out, and then the containers that held nothing else, as far up as `keep` steps. */
  remove(path: JSONPath, keep: number): void {
    if (this.nodeAt(path) === undefined) return
    this.cut(path)
    const parent = path.slice(0, -1)
    const left = this.nodeAt(parent)
    if (parent.length >= keep && parent.length > 0 && left?.children?.length === 0) this.remove(parent, keep)
  }

  /** True when nothing but an empty object is left, and no comment. */
  get isEmpty(): boolean {
    return this.text.replace(/\s+/g, '') === '{}'
  }

  toString(): string {
    return this.before.trim() === '' && this.isEmpty ? this.before : this.bom + this.text
  }

  private nodeAt(path: JSONPath): Node | undefined {
    return findNodeAtLocation(this.tree, path)
  }

  private parsed(): Node {
    const errors: ParseError[] = []
    const tree = parseTree(this.text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error !== undefined) throw this.unreadable(`${printParseErrorCode(error.error)} at character ${error.offset}`)
    if (tree === undefined) throw this.unreadable('it is empty')
    return tree
  }

  private expect(path: JSONPath, type: Node['type'], words: string): void {
    const node = this.nodeAt(path)
    if (node === undefined || node.type === type) return
    const kinds: Partial<Record<Node['type'], string>> = { array: 'a list', object: 'an object', null: 'null' }
    throw this.unusable(`"${path.join('.')}": expected ${words}, found ${kinds[node.type] ?? `a ${node.type}`}`)
  }

  /** Of two properties with one name, agents read the last and people find the first. */
  private refuseDuplicateKeys(path: JSONPath): void {
    const known = new Set<string>()
    const double = this.keys(path).find((name) => known.size === known.add(name).size)
    if (double !== undefined) throw this.unusable(`${JSON.stringify([...path, double].join('.'))} occurs in it twice`)
  }

  private unreadable(why: string): Error {
    return refusal(this.path, `cannot be read as JSON: ${why}`, MEND)
  }

  private unusable(why: string): Error {
    return refusal(this.path, `cannot be edited: ${why}`, MEND)
  }

  private splice(start: number, end: number, content: string): void {
    this.text = this.text.slice(0, start) + content + this.text.slice(end)
    this.tree = this.parsed()
  }

  /** The editor's own formatting would reformat the neighbours: what is inserted is laid out here, and nothing else. */
  private change(path: JSONPath, value: unknown): void {
    const edits = modify(this.text, path, value, {}).map((edit) => this.layOut(edit, path))
    this.text = applyEdits(this.text, edits)
    this.tree = this.parsed()
  }

  /** Cuts a property or an element out, with one comma. Everything else, comments included, stays. */
  private cut(path: JSONPath): void {
    const value = this.nodeAt(path)
    const node = value?.parent?.type === 'property' ? value.parent : value
    const siblings = node?.parent?.children ?? []
    if (node?.parent === undefined) return
    const at = siblings.indexOf(node)
    const end = node.offset + node.length
    const [before, after] = [siblings[at - 1], siblings[at + 1]]
    if (before !== undefined) this.cutBehind(before.offset + before.length, node.offset, end)
    else if (after !== undefined) this.cutAhead(node.offset, end, after.offset)
    else this.cutOnly(node.parent.offset + 1, node.offset, end, node.parent.offset + node.parent.length - 1)
  }

  /** The comma between `from` and the node goes with it, and so do the blanks, unless there is a comment. */
  private cutBehind(from: number, start: number, end: number): void {
    const [comma, isPlain] = this.commaIn(from, start)
    const gap = this.text.slice(from, start)
    const kept = isPlain || comma === undefined ? '' : gap.slice(0, comma) + gap.slice(comma + 1)
    this.splice(from, end, kept)
  }

  private cutAhead(start: number, end: number, next: number): void {
    const [comma, isPlain] = this.commaIn(end, next)
    const gap = this.text.slice(end, next)
    const kept = isPlain || comma === undefined ? '' : gap.slice(0, comma) + gap.slice(comma + 1)
    this.splice(start, next, kept)
  }

  /** The only one in its container: a comma behind it, and the blanks around it go. */
  private cutOnly(from: number, start: number, end: number, to: number): void {
    const [comma] = this.commaIn(end, to)
    const tail = this.text.slice(end, to)
    const behind = comma === undefined ? tail : tail.slice(0, comma) + tail.slice(comma + 1)
    const kept = this.text.slice(from, start) + behind
    this.splice(from, to, kept.trim() === '' ? '' : kept)
  }

  /** Finds the comma in a gap between two values, and tells whether there are only blanks beside it. */
  private commaIn(start: number, end: number): [number | undefined, boolean] {
    const tokens: Token[] = [...tokensOf(this.text.slice(start, end))].filter((token) => !isBlank(token))
    const comma = tokens.find(({ kind }) => kind === TOKEN.comma)
    return [comma?.start, tokens.length === (comma === undefined ? 0 : 1)]
  }

  private layOut(edit: Edit, path: JSONPath): Edit {
    // A replaced value keeps its place; only what is new needs lines of its own.
    if (edit.length > 0) return edit
    const content = edit.content.replace(/^,|,$/g, '')
    const property = /^"(?:[^"\\]|\\.)*":/.test(content)
    const depth = property ? this.depthAt(path) : path.length
    const lines = JSON.stringify(JSON.parse(property ? `{${content}}` : `[${content}]`), null, this.unit)
      .split('\n')
      .slice(1, -1)
      .map((line) => this.unit.repeat(depth - 1) + line)
    const text = this.eol + lines.join(this.eol)
    const gap = this.gapInEmpty(edit.offset)
    if (gap !== undefined) {
      return { offset: edit.offset, length: gap, content: `${text}${this.eol}${this.unit.repeat(depth - 1)}` }
    }
    return {
      ...edit,
      content: `${edit.content.startsWith(',') ? ',' : ''}${text}${edit.content.endsWith(',') ? ',' : ''}`,
    }
  }

  /** Returns how many blanks there are at the beginning of a container that has nothing else in it. */
  private gapInEmpty(offset: number): number | undefined {
    if (!/[{[]/.test(this.text[offset - 1] ?? '')) return undefined
    let end = offset
    while (/\s/.test(this.text[end] ?? '')) end++
    return /[}\]]/.test(this.text[end] ?? '') ? end - offset : undefined
  }

  /** How deep the first property stands that is not there yet, from 1. */
  private depthAt(path: JSONPath): number {
    const known = path.findIndex((_, at) => this.nodeAt(path.slice(0, at + 1)) === undefined)
    return known < 0 ? path.length : known + 1
  }
}
