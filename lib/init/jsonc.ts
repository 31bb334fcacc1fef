import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

/** Changes to a configuration file that keep comments, order and layout of everything else. */
export class JsoncFile {
  private text: string
  private readonly eol: string
  /** One step of indentation. */
  private readonly unit: string

  /** Throws `CORRUPT` when the text is no JSON (with comments): such a file is never written. */
  constructor(
    path: string,
    private readonly before: string,
  ) {
    this.text = before.trim() === '' ? '{}\n' : before
    const errors: ParseError[] = []
    const value: unknown = parse(this.text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error !== undefined || typeof value !== 'object' || value === null || Array.isArray(value)) {
      const why =
        error === undefined ? 'it is no object' : `${printParseErrorCode(error.error)} at character ${error.offset}`
      throw Object.assign(new Error(`${path} cannot be read as JSON: ${why}`), { code: 'CORRUPT' })
    }
    this.eol = before.includes('\r\n') ? '\r\n' : '\n'
    const [, first] = /\n([ \t]+)\S/.exec(this.text) ?? []
    this.unit = first ?? '  '
  }

  get(path: JSONPath): unknown {
    let value: unknown = parse(this.text, [], { allowTrailingComma: true })
    for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step]
    return value
  }

  /** Sets a value; nothing is touched when it is there already. */
  set(path: JSONPath, value: unknown): void {
    if (JSON.stringify(this.get(path)) === JSON.stringify(value)) return
    this.change(path, value)
  }

  /** Adds an element to a list, which is made when it is missing; nothing is touched when it is in it already. */
  add(path: JSONPath, element: unknown): void {
    const list = this.get(path)
    if (!Array.isArray(list)) this.change(path, [element])
    else if (!list.some((known) => JSON.stringify(known) === JSON.stringify(element))) {
      this.change([...path, list.length], element)
    }
  }

  /** Takes a value out, and then the containers that held nothing else, as far up as `keep` steps. */
  remove(path: JSONPath, keep: number): void {
    if (this.get(path) === undefined) return
    this.cut(path)
    const parent = path.slice(0, -1)
    const left = this.get(parent)
    if (parent.length >= keep && typeof left === 'object' && left !== null && Object.keys(left).length === 0) {
      this.remove(parent, keep)
    }
  }

  /** True when nothing but an empty object is left, and no comment. */
  get isEmpty(): boolean {
    return this.text.replace(/\s+/g, '') === '{}'
  }

  toString(): string {
    return this.text === this.before || this.eol === '\n' ? this.text : this.text.replace(/\r?\n/g, this.eol)
  }

  /** The editor's own formatting would lay out the neighbours anew: what is inserted is laid out here, and nothing else. */
  private change(path: JSONPath, value: unknown): void {
    const edits = modify(this.text, path, value, {}).map((edit) => this.layOut(edit, path))
    this.text = applyEdits(this.text, edits)
  }

  /** Cuts a property or an element out, with one comma. What stands between others and their comments stays. */
  private cut(path: JSONPath): void {
    const tree = parseTree(this.text, [], { allowTrailingComma: true })
    const value = tree === undefined ? undefined : findNodeAtLocation(tree, path)
    const node = value?.parent?.type === 'property' ? value.parent : value
    const siblings = node?.parent?.children ?? []
    if (node === undefined) return
    const at = siblings.indexOf(node)
    const before = siblings[at - 1]
    const after = siblings[at + 1]
    let start = node.offset
    let end = node.offset + node.length
    if (before !== undefined) start = before.offset + before.length
    else if (after !== undefined) end = after.offset
    else {
      start -= /\s*$/.exec(this.text.slice(0, start))?.[0].length ?? 0
      end += /^\s*,?\s*/.exec(this.text.slice(end))?.[0].length ?? 0
    }
    this.text = this.text.slice(0, start) + this.text.slice(end)
  }

  private layOut(edit: Edit, path: JSONPath): Edit {
    // A replaced value keeps its place; only what is new needs lines of its own.
    if (edit.length > 0) return edit
    const content = edit.content.replace(/^,|,$/g, '')
    const property = /^"(?:[^"\\]|\\.)*":/.test(content)
    const depth = property ? this.depthOf(path) : path.length
    const lines = JSON.stringify(JSON.parse(property ? `{${content}}` : `[${content}]`), null, this.unit)
      .split('\n')
      .slice(1, -1)
      .map((line) => this.unit.repeat(depth - 1) + line)
    const inEmpty = /[{[]\s*$/.test(this.text.slice(0, edit.offset)) && /^\s*[}\]]/.test(this.text.slice(edit.offset))
    const [gap = ''] = /^[ \t\r\n]*/.exec(this.text.slice(edit.offset)) ?? []
    if (inEmpty) {
      const text = `\n${lines.join('\n')}\n${this.unit.repeat(depth - 1)}`
      return { offset: edit.offset, length: gap.length, content: text }
    }
    return {
      ...edit,
      content: `${edit.content.startsWith(',') ? ',' : ''}\n${lines.join('\n')}${edit.content.endsWith(',') ? ',' : ''}`,
    }
  }

  /** How deep the first property stands that is not there yet, from 1. */
  private depthOf(path: JSONPath): number {
    const known = path.findIndex((_, at) => this.get(path.slice(0, at + 1)) === undefined)
    return known < 0 ? path.length : known + 1
  }
}
