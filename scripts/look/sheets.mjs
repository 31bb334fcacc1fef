// Contact sheets: the pictures of one number of records and one look, side by side, to be seen at once.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pictureNames } from './compare.mjs'

const COLUMNS = { desk: 3, phone: 8 }
const WIDTH = { desk: 720, phone: 260 }
/** A sheet shows the upper part of long pages. */
const HEIGHT = { desk: 620, phone: 760 }
const PER_SHEET = { desk: 9, phone: 16 }

function htmlOf(folder, names, size) {
  const figures = names.map((name) => {
    const data = readFileSync(join(folder, `${name}.png`)).toString('base64')
    return `<figure><figcaption>${name.split('/').at(-1)}</figcaption><div><img src="data:image/png;base64,${data}"></div></figure>`
  })
  return `<!doctype html><style>
body { margin: 12px; font: 15px system-ui; background: #999; display: grid; gap: 12px; grid-template-columns: repeat(${COLUMNS[size]}, ${WIDTH[size]}px) }
figure { margin: 0 } div { height: ${HEIGHT[size]}px; overflow: hidden } img { width: 100% }
</style>${figures.join('')}`
}

/** Writes the sheets of a take into its folder `sheets`, and returns their names. */
export async function writeSheets(browser, folder) {
  const groups = new Map()
  for (const name of pictureNames(folder)) {
    const group = name.split('/').slice(0, 2).join('-')
    groups.set(group, [...(groups.get(group) ?? []), name])
  }
  const page = await browser.newPage()
  mkdirSync(join(folder, 'sheets'), { recursive: true })
  const written = []
  for (const [group, names] of groups) {
    const size = group.endsWith('phone') ? 'phone' : 'desk'
    await page.setViewportSize({ width: COLUMNS[size] * (WIDTH[size] + 12) + 24, height: 800 })
    for (let at = 0; at < names.length; at += PER_SHEET[size]) {
      const name = `${group}-${1 + at / PER_SHEET[size]}`
      await page.setContent(htmlOf(folder, names.slice(at, at + PER_SHEET[size]), size))
      await page.screenshot({ path: join(folder, 'sheets', `${name}.png`), fullPage: true })
      written.push(name)
    }
  }
  await page.close()
  return written
}
