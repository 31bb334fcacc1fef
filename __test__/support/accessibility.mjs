// The rules of accessibility, checked by axe in a page.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { goTo } from './browser.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that other colours can break: all others are about elements and their names. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Lists what a page does wrong for those who cannot see or point, by all rules or by those that are named. */
export async function violations(page, rules) {
  // A document keeps it until it is loaded anew: reading half a megabyte takes longer than checking a small view.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const { violations } = await page.evaluate(
    (runOnly) => globalThis.axe.run(document, { resultTypes: ['violations'], ...(runOnly && { runOnly }) }),
    rules,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })))
}

/** Goes to a view, and waits until nothing of it is still loading. */
export async function settled(page, view) {
  await goTo(page, `#/${view}`)
  await page.locator('h1').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.waiting').length === 0)
}

/** Shows the page in other colours, and waits until it is drawn in them. */
export async function recolour(page, colorScheme) {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(
    (scheme) =>
      new Promise((done) => {
        const look = () =>
          matchMedia(`(prefers-color-scheme: ${scheme})`).matches ? requestAnimationFrame(done) : again()
        const again = () => requestAnimationFrame(look)
        again()
      }),
    colorScheme,
  )
}
