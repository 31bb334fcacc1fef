// Which lines of what an agent said are its own: those of paragraphs and list items. Quotes, code, HTML, headings and tables show what it has read.
// Loaded only for a text that mentions a mark, because reading the library takes longer than the rest of a hook.
import MarkdownIt, { type Token } from 'markdown-it'

/** What is nested deeper is not read, nor what follows it. */
const NESTING_MAX = 100

const markdown = new MarkdownIt('commonmark')
/** Finds blocks only: what is within them is parsed where a line of it matters. */
const blocks = new MarkdownIt('commonmark', { maxNesting: NESTING_MAX })
blocks.core.ruler.enableOnly(['normalize', 'block'])

/** Elements of HTML that have no end. */
const VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i
const TAG = /<(\/?)([a-z][\w-]*)[^<>]*?(\/?)>/gi

/** Returns the lines of paragraphs and list items that are in no quote and in no element of HTML, of those that `mayMatter` accepts. */
export function ownLines(text: string, mayMatter: (paragraph: string) => boolean): string[] {
  const lines: string[] = []
  const tokens = blocks.parse(text, {})
  let quotes = 0
  let elements = 0
  for (const [at, { type, content }] of tokens.entries()) {
    if (type === 'blockquote_open') quotes++
    else if (type === 'blockquote_close') quotes--
    // An element goes on after an empty line, which ends the block of its first tag.
    else if (type === 'html_block') elements = Math.max(0, elements + openedIn(content))
    else if (type === 'inline' && tokens[at - 1]?.type === 'paragraph_open' && quotes === 0 && elements === 0) {
      if (mayMatter(content)) lines.push(...linesIn(content))
    }
  }
  return lines
}

/** How many elements of HTML a text opens and leaves open. */
function openedIn(html: string): number {
  const tags = [...withoutComments(html).matchAll(TAG)]
  return tags.reduce((sum, [, end, name = '', isWhole]) => {
    if (end) return sum - 1
    return isWhole || VOID.test(name) ? sum : sum + 1
  }, 0)
}

function withoutComments(html: string): string {
  let rest = ''
  for (let at = 0; ; ) {
    const start = html.indexOf('<!--', at)
    if (start < 0) return rest + html.slice(at)
    rest += html.slice(at, start)
    const end = html.indexOf('-->', start)
    if (end < 0) return rest
    at = end + 3
  }
}

/** The lines of a paragraph that begin as text: not within code, a tag, or an element of HTML. */
function linesIn(paragraph: string): string[] {
  const groups: Token[][] = [[]]
  for (const token of markdown.parseInline(paragraph, {})[0]?.children ?? []) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') groups.push([])
    else groups.at(-1)?.push(token)
  }
  const written = paragraph.split('\n')
  // Code or a tag that goes on over a line end makes the lines of the source more than those of the text.
  const isSame = written.length === groups.length
  let elements = 0
  return groups.flatMap((group, at) => {
    const isOwn = elements === 0 && group[0]?.type === 'text'
    for (const { type, content } of group)
      if (type === 'html_inline') elements = Math.max(0, elements + openedIn(content))
    if (!isOwn) return []
    return [isSame ? (written[at] ?? '') : group.map(({ markup, content }) => markup + content + markup).join('')]
  })
}
