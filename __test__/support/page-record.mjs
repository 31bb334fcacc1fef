// While the table of tests is written, a page notes which functions it runs, in the form in which Node does.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Begins to record, and returns how it ends. Outside of scripts/test-table.mjs it does nothing. */
export async function recordPage(page) {
  const folder = process.env.NODE_V8_COVERAGE
  if (!folder) return () => undefined
  await page.coverage.startJSCoverage({ resetOnNavigation: false })
  return async () => {
    if (page.isClosed()) return
    const scripts = await page.coverage.stopJSCoverage()
    const result = scripts.map(({ url, functions }) => ({ url, functions }))
    writeFileSync(join(folder, `page-${randomUUID()}.json`), JSON.stringify({ result }))
  }
}
