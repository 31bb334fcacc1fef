// Answers, with the library of one version, which of the given records it recalls:
//   node asker.mjs LIBRARY PROJECT < {"questions":[{"id","body"}],"gone":[id]}
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [library, projectDir] = process.argv.slice(2)
const { recall, listMemories } = createRequire(import.meta.url)(library)
const { questions, gone } = JSON.parse(readFileSync(0, 'utf8'))

const isFound = ({ id, body }) => recall(body, { projectDir, limit: 5 }).hits.some((hit) => hit.id === id)
const listed = new Set()
for (let offset = 0, page; page === undefined || page.length > 0; offset += page.length) {
  page = listMemories({ projectDir, limit: 500, offset }).entries
  for (const { id } of page) listed.add(id)
}
const missing = questions.filter((question) => !isFound(question))
process.stdout.write(
  JSON.stringify({
    missing: missing.length,
    returned: gone.filter((id) => listed.has(id)).length,
    listed: listed.size,
  }),
)
