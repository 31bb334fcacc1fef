// The moving picture of the README: what it shows is what the tour prints, and everybody can read it.
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { renderTerminal, THEMES } from '../scripts/screenshots/terminal.mjs'
import { drawTour } from '../scripts/screenshots/tour.mjs'
import { launchBrowser } from './support/browser.mjs'
import { root } from './support/project.mjs'

const path = join(root, 'docs', 'images', 'terminal.svg')
const picture = readFileSync(path, 'utf8')
const browser = await launchBrowser()

/** The rows of a picture as texts, without what differs from run to run. */
function rowsOf(svg) {
  return [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, content]) =>
    content
      .replace(/<[^>]+>/g, '')
      .replace(/mem_[0-9a-f]{32}/g, '<id>')
      .replace(/\b[0-9a-f]{8}\b/g, '<short>')
      .replace(/\d{4}-\d\d-\d\d/g, '<date>')
      .replace(/until \d{1,2} [A-Z][a-z]{2}/g, 'until <day>'),
  )
}

async function open(t, options) {
  const page = await browser.newPage(options)
  t.after(() => page.close())
  await page.goto(pathToFileURL(path).href)
  return page
}

test('the picture shows what the tour types and prints', () => {
  const rows = rowsOf(picture)
  assert.ok(rows.length > 40)
  assert.deepEqual(rows, rowsOf(drawTour(join(root, 'dist', 'cli', 'main.js'))), 'node scripts/terminal-picture.mjs')
  const text = rows.join('\n')
  for (const shown of ['Already known as', 'secret removed', 'Retired <short>', '1. pnpm vitest'])
    assert.ok(text.includes(shown))
  assert.doesNotMatch(text, /\/tmp\//)
})

test('the README begins with the picture, which is small and asks for nothing from elsewhere', () => {
  assert.ok(statSync(path).size < 150 * 1024)
  const before = readFileSync(join(root, 'README.md'), 'utf8').split('docs/images/terminal.svg')[0]
  assert.ok(before.split('\n').length < 12)
  assert.doesNotMatch(picture, /<script|<foreignObject|href=|url\((?!#)|@import|@font-face/)
})

/** The contrast of two colours, as WCAG 2 defines it. */
function contrast(one, other) {
  const luminance = (colour) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

test('every colour can be read on its background, light and dark', () => {
  for (const { bg, line, ...colours } of Object.values(THEMES)) {
    for (const [name, colour] of Object.entries(colours)) assert.ok(contrast(colour, bg) >= 4.5, `${name} on ${bg}`)
  }
})

test('the picture follows the colours that the reader has chosen', async (t) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(t, { colorScheme })
    const [background, text] = await page.evaluate(() =>
      ['.f', 'text'].map((selector) => getComputedStyle(document.querySelector(selector)).fill),
    )
    const rgb = (colour) => `rgb(${[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).join(', ')})`
    assert.deepEqual([background, text], [rgb(THEMES[colorScheme].bg), rgb(THEMES[colorScheme].fg)])
  }
})

/** The texts that can be seen: inside of the window, and not transparent or covered. */
function seen() {
  const window = document.querySelector('#w rect').getBoundingClientRect()
  const frame = document.querySelector('.f').getBoundingClientRect()
  const bottom = frame.bottom || window.bottom
  return [...document.querySelectorAll('text')]
    .filter((text) => {
      const { y, height } = text.getBoundingClientRect()
      return getComputedStyle(text).opacity !== '0' && y > 20 && y + height < bottom
    })
    .map((text) => text.textContent)
}

test('it plays: rows appear one after the other, and the last ones are those of a search', async (t) => {
  const page = await open(t, { reducedMotion: 'no-preference' })
  const at = (second) =>
    page.evaluate((milliseconds) => {
      for (const animation of document.getAnimations()) {
        animation.pause()
        animation.currentTime = milliseconds
      }
    }, second * 1000)
  await at(0)
  assert.deepEqual(await page.evaluate(seen), [])
  const length = Number(/animation-duration:(\d+)s/.exec(picture)[1])
  assert.ok(length < 60)
  await at(length / 2)
  const middle = await page.evaluate(seen)
  await at(length - 1)
  const last = await page.evaluate(seen)
  assert.ok(middle.length > 5 && last.length > 5)
  assert.notDeepEqual(middle, last)
  assert.match(last.join('\n'), /\$ forge-memory find .*\n1\. /)
})

test('who wants no motion sees the last moment, and nothing moves', async (t) => {
  const page = await open(t, { reducedMotion: 'reduce' })
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0)
  assert.match((await page.evaluate(seen)).join('\n'), /\$ forge-memory find .*\n1\. .*\n {3}\S/)
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.p')).opacity), '0')
})

test('what a command prints cannot leave the text of the picture', async (t) => {
  const hostile = '</text><script>alert(1)</script> & "quotes" <b>'
  const svg = renderTerminal([`$ echo ${hostile}`, hostile], { columns: 88, height: 4, title: hostile })
  assert.doesNotMatch(svg, /<script|<b>/)
  const page = await browser.newPage()
  t.after(() => page.close())
  const error = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
    return parsed.querySelector('parsererror')?.textContent
  }, svg)
  assert.equal(error, undefined)
})
