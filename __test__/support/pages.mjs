import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project.mjs'

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w-]*)/

/** Takes a page of Markdown apart: headings with their anchors, fenced blocks, and the lines between, each with its number. */
export function parsePage(path, text) {
  const page = { path, headings: [], blocks: [], lines: [] }
  let block
  for (const [at, line] of text.split('\n').entries()) {
    const fence = FENCE.exec(line)
    if (block !== undefined) {
      if (fence !== null && line.trim() === block.mark) block = undefined
      else block.lines.push(line)
    } else if (fence !== null) {
      block = { mark: fence[1], language: fence[2], lines: [], line: at + 1 }
      page.blocks.push(block)
    } else {
      const heading = /^(#+) (.+)$/.exec(line)
      if (heading !== null) page.headings.push(headingOf(page, heading, at))
      page.lines.push({ text: line, line: at + 1 })
    }
  }
  return page
}

function headingOf({ headings }, [, marks, title], at) {
  const level = marks.length
  const above = headings.findLast((heading) => heading.level < level)
  return { level, title, anchor: anchorOf(title), line: at + 1, path: [...(above?.path ?? []), title] }
}

/** The anchor that the usual hosts of repositories give a heading. */
function anchorOf(title) {
  const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/** The links of a page that lead to files of the repository: `{ target, anchor, line }`. */
export function localLinks({ lines }) {
  return lines.flatMap(({ text, line }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => ({ target: link.split('#')[0], anchor: link.split('#')[1], line })),
  )
}

/** Every `forge-memory ...` that a page shows, in blocks for a shell and in running text, as words. */
export function commandsShown({ blocks, lines }) {
  const shells = blocks.filter(({ language }) => ['sh', 'bash', 'console'].includes(language))
  const typed = shells.flatMap((block) => block.lines.map((text, at) => ({ text, line: block.line + 1 + at })))
  const inline = lines.flatMap(({ text, line }) =>
    [...text.matchAll(/`(forge-memory [^`]+)`/g)].map(([, code]) => ({ text: code, line })),
  )
  return [...typed, ...inline].flatMap(({ text, line }) =>
    [
      ...withoutTexts(text)
        .replace(/\s#.*$/, '')
        .matchAll(/(?:^|[\s(|&;])forge-memory ([^|&;)]*)/g),
    ].map(([, rest]) => ({
      words: rest.split(/\s+/).filter(Boolean),
      text: text.trim(),
      line,
    })),
  )
}

/** The pages under version control. */
export function readPages() {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  const paths = stdout.split('\n').filter((path) => path !== '' && !path.startsWith('__test__/'))
  return paths.map((path) => parsePage(path, readFileSync(join(root, path), 'utf8')))
}

/** What is wrong with how a page is put together, each with its line. */
export function faultsOf(page) {
  return [...headingFaults(page), ...blockFaults(page), ...rowFaults(page)]
}

function headingFaults({ path, headings }) {
  const seen = new Set()
  return headings.flatMap((heading) => {
    const key = heading.path.join(' > ')
    const isTwice = seen.has(key)
    seen.add(key)
    return isTwice ? [`${path}:${heading.line}: the heading "${key}" stands there twice`] : []
  })
}

function blockFaults({ path, blocks }) {
  const isEmpty = ({ lines }) => lines.every((line) => line.trim() === '')
  return blocks.filter(isEmpty).map(({ line }) => `${path}:${line}: the fenced block is empty`)
}

function rowFaults({ path, lines }) {
  const seen = new Set()
  return lines.flatMap(({ text, line }) => {
    const isRow = /^\s*\|.*\|\s*$/.test(text) && !/^[\s|:-]+$/.test(text)
    if (!isRow) {
      // A table ends with the first line that is not a row; another one may repeat its header.
      if (!text.trimStart().startsWith('|')) seen.clear()
      return []
    }
    const isTwice = seen.has(text.trim())
    seen.add(text.trim())
    return isTwice ? [`${path}:${line}: the row stands there twice`] : []
  })
}

/** What is between quotation marks is one word, which nothing is asked about. */
function withoutTexts(text) {
  return text.replace(/"[^"]*"|'[^']*'/g, 'TEXT')
}
