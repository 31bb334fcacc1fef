import { createTwoFilesPatch } from 'diff'
import { type Change, shownPath } from '../../init/index.js'
import { printable } from '../../text/printable.js'
import type { Page } from '../page/page.js'

/** Renders the changes of each file as a unified diff. */
export function diffOf(changes: Change[], { paint }: Page): string {
  return changes.map((change) => patchOf(change, paint)).join('\n\n')
}

function patchOf({ path, before, after }: Change, paint: Page['paint']): string {
  const shown = shownPath(path)
  const name = (side: string) => (shown === path ? `${side}/${path}` : shown)
  const from = before === undefined ? '/dev/null' : name('a')
  const to = after === undefined ? '/dev/null' : name('b')
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context: 3 })
  return printable(patch)
    .split('\n')
    .slice(1)
    .map((line) => {
      if (/^(\+\+\+|---)/.test(line)) return paint('strong', line)
      return line.startsWith('+') ? paint('good', line) : line.startsWith('-') ? paint('bad', line) : line
    })
    .join('\n')
    .trimEnd()
}
