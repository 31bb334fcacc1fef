// Writes into the blocks of the documentation what their commands print: types them all, as the test of the pages does. An output that
// differs in ids, times and sizes alone stays as it is.   node scripts/type-pages.mjs [README.md docs/NAME.md ...]
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parsePage } from '../__test__/support/pages.mjs'
import { freshStage, plain, typePage } from '../__test__/support/typed-pages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

for (const path of process.argv.slice(2)) {
  const ends = []
  const text = readFileSync(join(root, path), 'utf8')
  const steps = await typePage(
    parsePage(path, text),
    freshStage({ after: (end) => ends.push(end) }),
    ({ printed }) => printed === undefined,
  )
  const lines = text.split('\n')
  for (const { line, printed, shown, typed, status } of steps.toReversed()) {
    if (plain(printed.join('\n')) === plain(shown)) continue
    console.log(`${path}:${line}: $ ${typed}  (exit code ${status})`)
    const gap = printed.at(-1) === '' ? [''] : []
    lines.splice(line, printed.length, ...shown.split('\n'), ...gap)
  }
  writeFileSync(join(root, path), lines.join('\n'))
  for (const end of ends) await end()
}
