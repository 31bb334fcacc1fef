// The rules of accessibility, checked by axe in a page.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { goTo } from './browser.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Lists what a page does wrong for those who cannot see or point. */
export async function violations(page) {
  // A document keeps it until it is loaded anew: reading half a megabyte takes longer than checking a small view.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })))
}

/** Goes to a view, and waits until nothing of it is still loading. */
export async function settled(page, view) {
  await goTo(page, `#/${view}`)
  await page.locator('h1').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.waiting').length === 0)
}
