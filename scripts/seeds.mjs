// Writes docs/seeds.md from __test__/data/seeds.json: the statements of the four documents that this package began with, and the test of each.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
export const PAGE = join(root, 'docs', 'seeds.md')
export const documents = JSON.parse(readFileSync(join(root, '__test__', 'data', 'seeds.json'), 'utf8'))

const HEAD = `# What four documents say, and the tests of it

For people who know one of the tools whose memory this package replaces. Each statement of their documents has one test here; what differs on purpose
says so, with the reason. \`node scripts/seeds.mjs\` writes this page from \`__test__/data/seeds.json\`, and a test compares both and finds every test.
What differs beyond the documents is in [Plan Forge](plan-forge.md#what-differs-on-purpose) and [lessons of agent loops](ralph.md).
`

const cell = (text) => text.replaceAll('|', '\\|')

function row({ says, differs, file, test }) {
  const statement = differs === undefined ? says : `${says}. *Differs on purpose: ${differs}*`
  return `| ${cell(statement)} | \`${file}\`: ${cell(test)} |\n`
}

export function page() {
  const parts = documents.map(({ document, source, rows }) => {
    const title = document.includes(' ') ? document : `\`${document}\``
    return `\n## ${title}\n\n${source[0].toUpperCase()}${source.slice(1)}.\n\n| statement | test |\n|---|---|\n${rows.map(row).join('')}`
  })
  return `${HEAD}${parts.join('')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, page())
