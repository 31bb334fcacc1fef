// Takes a picture of every view of the dashboard, in light and dark colours, on a desk and on a phone, with 0, 20 and 20,000 records, and
// compares them with an earlier take.
//   npm run look -- FOLDER                     takes the pictures into FOLDER, with contact sheets in FOLDER/sheets
//   npm run look -- FOLDER --against OLDER     compares them with those in OLDER; ends with 1 when one has changed
//   npm run look -- FOLDER --only WORD         only pictures whose name has WORD in it, such as 20000/dark-phone/records; may be repeated
//   npm run look -- FOLDER --prebuilt          uses the engine as it is built
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { launch } from './setup/launch.mjs'

const OPTIONS = {
  against: { type: 'string' },
  only: { type: 'string', multiple: true },
  prebuilt: { type: 'boolean' },
}

function wrong(message, hint) {
  return Object.assign(new Error(message), { hint })
}

/** Reads and checks the arguments: where to, against what, which pictures. */
function readArguments(root, isWithin, existsSync) {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [folder] = positionals
  if (folder === undefined || positionals.length > 1)
    throw wrong('expected one folder for the pictures', 'npm run look -- FOLDER [--against OLDER] [--only WORD]')
  const to = resolve(folder)
  if (isWithin(root, to)) throw wrong(`${to} is inside the repository`, 'choose a folder outside it')
  const against = values.against === undefined ? undefined : resolve(values.against)
  if (against === to) throw wrong('a take cannot be compared with itself', 'take into another folder')
  if (against !== undefined && !existsSync(against)) throw wrong(`${against} does not exist`, 'take it first')
  return { to, against, words: values.only ?? [], isPrebuilt: values.prebuilt === true }
}

function printComparison({ same, changed, added, missing }, folder) {
  for (const { name, pixels, share } of changed)
    console.log(`changed  ${name}  ${pixels} pixels, ${(100 * share).toFixed(2)} %`)
  for (const name of added) console.log(`new      ${name}`)
  for (const name of missing) console.log(`gone     ${name}`)
  console.log(`${same.length} same, ${changed.length} changed, ${added.length} new, ${missing.length} gone`)
  if (changed.length > 0) console.log(`what changed is red in ${folder}/changed`)
}

launch(async ({ prepare, root }) => {
  const { existsSync, mkdirSync, rmSync } = await import('node:fs')
  const { join, relative, isAbsolute } = await import('node:path')
  const isWithin = (outer, inner) => {
    const way = relative(outer, inner)
    return !way.startsWith('..') && !isAbsolute(way)
  }
  const { to, against, words, isPrebuilt } = readArguments(root, isWithin, existsSync)
  const { requireFaketime } = await import('./setup/faketime.mjs')
  await requireFaketime(root)
  await prepare({ isPrebuilt })
  const { chromium } = await import('playwright-core')
  const { requireBrowser } = await import('./setup/browser.mjs')
  const { takePictures } = await import('./look/take.mjs')
  const { compareTakes, pictureNames } = await import('./look/compare.mjs')
  const { writeSheets } = await import('./look/sheets.mjs')
  const executablePath = await requireBrowser(root)
  mkdirSync(to, { recursive: true })
  for (const old of ['changed', 'sheets']) rmSync(join(to, old), { recursive: true, force: true })
  const isWanted = (name) => words.length === 0 || words.some((word) => name.includes(word))
  for (const name of pictureNames(to).filter(isWanted)) rmSync(join(to, `${name}.png`))
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  try {
    const taken = await takePictures(browser, to, isWanted)
    const sheets = await writeSheets(browser, to)
    console.log(`${taken.length} pictures in ${to}, ${sheets.length} sheets of them in ${join(to, 'sheets')}`)
  } finally {
    await browser.close()
  }
  if (against === undefined) return 0
  const names = new Set([...pictureNames(against), ...pictureNames(to)].filter(isWanted))
  const result = compareTakes(against, to, [...names].sort())
  printComparison(result, to)
  return result.changed.length + result.missing.length > 0 ? 1 : 0
})
