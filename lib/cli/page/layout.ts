import type { Page } from './page.js'

/** Indents every line of a text, and wraps lines to the width of the page. */
export function indent(text: string, by: number, page: Page): string {
  return page
    .wrap(text, page.width - by)
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`.trimEnd())
    .join('\n')
}

/** Wraps lines to the width of the page; a line that is indented goes on below its beginning. */
export function sentences(text: string, page: Page): string {
  return text
    .split('\n')
    .map((line) => indent(line.trimStart(), line.length - line.trimStart().length, page))
    .join('\n')
}
