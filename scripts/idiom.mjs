// The idiom of the Rust that ships, as counts that may only fall: forms that a reader has to stop at where a plain one would do.
//   node scripts/idiom.mjs           fails where a count is above its budget (scripts/idiom/budget.json), and lists the places
//   node scripts/idiom.mjs --lower   writes the counts of today where they are below it; no option raises one
//   node scripts/idiom.mjs --list NAME   every place of one form
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countForms, FORMS } from './idiom/forms.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const budgetFile = join(root, 'scripts', 'idiom', 'budget.json')
const [option, form] = process.argv.slice(2)

const files = execFileSync('git', ['ls-files', 'crates/*/src/*.rs', 'src/*.rs'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !/(^|\/)tests?(\.rs|\/)|^crates\/(layering|test-disk|tests|unit-tests)\//.test(path))
const places = countForms(files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })))
const budget = JSON.parse(readFileSync(budgetFile, 'utf8'))

if (option === '--list') {
  for (const place of places[form] ?? []) console.log(place)
} else {
  let isOver = false
  for (const { name, instead } of FORMS) {
    const count = places[name].length
    console.log(`${String(count).padStart(5)} of at most ${budget[name]}  ${name}`)
    if (count <= budget[name]) continue
    isOver = true
    console.error(`error: ${name}: ${count}, ${count - budget[name]} more than before\nhint: ${instead}`)
    console.error(`hint: node scripts/idiom.mjs --list ${name} shows the places`)
  }
  const lower = Object.fromEntries(FORMS.map(({ name }) => [name, Math.min(budget[name], places[name].length)]))
  if (option === '--lower') writeFileSync(budgetFile, `${JSON.stringify(lower, null, 2)}\n`)
  process.exitCode = isOver ? 1 : 0
}
