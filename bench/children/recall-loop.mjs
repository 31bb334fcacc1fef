// Asks a filled store all queries: once for the answers, then in timed passes.
import { writeFileSync } from 'node:fs'
import { readQueries } from '../data/dataset.mjs'
import { makeCacheWalk } from '../harness/cold.mjs'
import { measureCall, timeQueries } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const { recall } = loadAddon()
const queries = readQueries(input.queries)
const options = { limit: 10, projectDir: input.dir }

const answers = []
const first = measureCall(() => answers.push(recall(queries[0].text, options)))
for (const query of queries.slice(1)) answers.push(recall(query.text, options))
if (input.answers) writeFileSync(input.answers, JSON.stringify(answers.map(({ hits }) => hits.map((hit) => hit.id))))

const walk = input.between ? makeCacheWalk() : () => {}
const asked = queries.slice(0, input.between ?? queries.length)
const times = timeQueries(asked, input.passes, ({ text }) => {
  walk()
  return measureCall(() => recall(text, options))
})
report({ firstUs: first.cpuUs, ...times })
