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
import { depthOf, isBlank, TOKEN, type Token, tokensOf } from '../../shared/json-comments.js'
import { refusal } from './refusal.js'

/** The maximum nesting depth. Settings are a handful of levels deep, and the parser is recursive. */
const LEVELS_MAX = 200
const MEND = 'fix the file by hand, then run the command again; nothing was written'
const BOM = '\ufeff'

/** Edits of a JSON file with comments (JSONC) that preserve comments, order and layout of everything else. */
export class JsoncFile {
  private text: string
  private tree: Node
  private readonly bom: string
  private readonly eol: string
  /** The indentation of one level. */
  private readonly unit: string

  /** Throws `CORRUPT` when the text is not valid JSON with comments; such a file is never written. */
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
    // The objects of `jsonc-parser` have no prototype, so that `deepEqual` would find them different.
    return node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)))
  }

  /** Returns the source text of a value. */
  source(path: JSONPath): string | undefined {
    const node = this.nodeAt(path)
    return node && this.text.slice(node.offset, node.offset + node.length)
  }

  /** Returns the keys of an object in order; none when there is no object. */
  keys(path: JSONPath): string[] {
    const node = this.nodeAt(path)
    return node?.type === 'object' ? (node.children ?? []).map((property) => property.children?.[0]?.value) : []
  }

  /** Throws unless the value at a path is an object or absent. An object with a duplicate key cannot be edited either. */
  expectObject(path: JSONPath): void {
    this.expect(path, 'object', 'an object')
    this.refuseDuplicateKeys(path)
  }

  /** Throws unless the value at a path is an array or absent. */
  expectList(path: JSONPath): void {
    this.expect(path, 'array', 'a list')
  }

  /** Sets a value; the text is unchanged when it is already there. */
  set(path: JSONPath, value: unknown): void {
    if (!isDeepStrictEqual(this.get(path), value)) this.change(path, value)
  }

  /** Sets a value to a source text. */
  restore(path: JSONPath, source: string): void {
    const node = this.nodeAt(path)
    if (node !== undefined) this.splice(node.offset, node.offset + node.length, source)
  }

  /** Appends an element to an array, which is created when it is missing. */
  add(path: JSONPath, element: unknown): void {
    const list = this.get(path)
    if (Array.isArray(list)) this.change([...path, list.length], element)
    else this.change(path, [element])
  }

  /** Removes a value, and then the containers that become empty, up to `keep` levels from the root. */
  remove(path: JSONPath, keep: number): void {
    if (this.nodeAt(path) === undefined) return
    this.cut(path)
    const parent = path.slice(0, -1)
    const left = this.nodeAt(parent)
    if (parent.length >= keep && parent.length > 0 && left?.children?.length === 0) this.remove(parent, keep)
  }

  /** True if only an empty object is left, without comments. */
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

  /** Refuses duplicate keys: agents use the last one, people see the first. */
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

  /** Changes a value with a layout of our own; the formatter of the library would reformat the neighbours. */
  private change(path: JSONPath, value: unknown): void {
    const edits = modify(this.text, path, value, {}).flatMap((edit) => this.besideComment(this.layOut(edit, path)))
    this.text = applyEdits(this.text, edits)
    this.tree = this.parsed()
  }

  /** A comment after the value that precedes a new one stays on its line. */
  private besideComment(edit: Edit): Edit[] {
    const behind = /^([ \t]*,)?[ \t]*(\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*(?=\r?\n|$))/.exec(
      this.text.slice(edit.offset),
    )
    if (edit.length > 0 || behind === null || !edit.content.startsWith(`,${this.eol}`)) return [edit]
    const [tail, comma] = behind
    const content = edit.content.slice(1) + (comma === undefined ? '' : ',')
    const after = { offset: edit.offset + tail.length, length: 0, content }
    return comma === undefined ? [{ offset: edit.offset, length: 0, content: ',' }, after] : [after]
  }

  /** Removes a property or an element with one comma. Everything else, comments included, stays. */
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

  /** Removes a node with the white space before it, and a comma; a comment between stays. */
  private cutBehind(from: number, start: number, end: number): void {
    const [comma, isPlain] = this.commaIn(from, start)
    const gap = this.text.slice(from, start)
    if (isPlain || comma === undefined) {
      this.splice(from, end, '')
      return
    }
    const next = /^\s*,/.exec(this.text.slice(end))?.[0].length
    // The comma after the node is removed, if there is one; the comma before it stays.
    if (next !== undefined) this.splice(from + gap.trimEnd().length, end + next, '')
    else this.splice(from, end, (gap.slice(0, comma) + gap.slice(comma + 1)).trimEnd())
  }

  private cutAhead(start: number, end: number, next: number): void {
    const [comma, isPlain] = this.commaIn(end, next)
    const gap = this.text.slice(end, next)
    const kept = isPlain || comma === undefined ? '' : gap.slice(0, comma) + gap.slice(comma + 1)
    this.splice(start, next, kept)
  }

  /** Removes the only node of its container, with a trailing comma and the white space around it. */
  private cutOnly(from: number, start: number, end: number, to: number): void {
    const [comma] = this.commaIn(end, to)
    const tail = this.text.slice(end, to)
    const behind = comma === undefined ? tail : tail.slice(0, comma) + tail.slice(comma + 1)
    const kept = this.text.slice(from, start) + behind
    this.splice(from, to, kept.trim() === '' ? '' : kept)
  }

  /** Finds the comma between two values, and is true if there is only white space beside it. */
  private commaIn(start: number, end: number): [number | undefined, boolean] {
    const tokens: Token[] = [...tokensOf(this.text.slice(start, end))].filter((token) => !isBlank(token))
    const comma = tokens.find(({ kind }) => kind === TOKEN.comma)
    return [comma?.start, tokens.length === (comma === undefined ? 0 : 1)]
  }

  private layOut(edit: Edit, path: JSONPath): Edit {
    // A replaced value keeps its place; only a new one needs its own lines.
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

  /** Returns the length of the white space in an empty container. */
  private gapInEmpty(offset: number): number | undefined {
    if (!/[{[]/.test(this.text[offset - 1] ?? '')) return undefined
    let end = offset
    while (/\s/.test(this.text[end] ?? '')) end++
    return /[}\]]/.test(this.text[end] ?? '') ? end - offset : undefined
  }

  /** Returns the depth, from 1, of the first property of a path that does not exist yet. */
  private depthAt(path: JSONPath): number {
    const known = path.findIndex((_, at) => this.nodeAt(path.slice(0, at + 1)) === undefined)
    return known < 0 ? path.length : known + 1
  }
}
