import { bar } from '../page/bar.js'
import { write } from '../page/output.js'
import { openPage, type Page } from '../page/page.js'
import { ERASE_LINE, isTerminal } from '../page/terminal.js'

const DELAY_MS = 1000

export interface Progress {
  update(done: number, total: number): void
  end(): void
}

/** Draws a bar on standard error, if that is a terminal and the work takes longer than a second. */
export function showProgress(): Progress {
  if (!isTerminal(2)) return { update: () => undefined, end: () => undefined }
  const started = Date.now()
  let page: Page | undefined
  let isDrawn = false
  openPage(2).then((opened) => {
    page = opened
  })
  return {
    update(done, total) {
      if (!page || total === 0 || Date.now() - started < DELAY_MS) return
      isDrawn = true
      const drawn = bar(page, done, total).padEnd(24)
      write(2, `${ERASE_LINE}indexing ${page.paint('cyan', drawn)} ${done} of ${total} files`)
    },
    end() {
      if (isDrawn) write(2, ERASE_LINE)
    },
  }
}
