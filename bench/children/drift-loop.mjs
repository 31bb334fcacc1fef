// Recalls ten records that name ten files, in a filled store: with their freshness looked at, or not.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureCall, summarize } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const RECORDS = 10
const FILE_BYTES = 12_000
const WORD = 'driftmeasure'

const { captureMemory, recall } = loadAddon()
const options = { limit: RECORDS, projectDir: input.dir }

writeFileSync(join(input.dir, '.forge.json'), JSON.stringify({ freshness: input.isChecked }))
mkdirSync(join(input.dir, 'src/deep/folder'), { recursive: true })
for (let number = 0; number < RECORDS; number++) {
  const path = `src/deep/folder/module-${number}.ts`
  writeFileSync(join(input.dir, path), `// ${number}\n`.padEnd(FILE_BYTES, 'x'))
  const body = `${WORD} number ${number}: the parser is in ${path}, tests run with npm run test:${number}`
  captureMemory({ tool: 'bench', type: 'lesson', body, sourceFile: path }, { projectDir: input.dir })
}
const first = measureCall(() => recall(WORD, options))
const samples = Array.from({ length: input.calls }, () => measureCall(() => recall(WORD, options)))
const { hits } = recall(WORD, options)
report({ firstUs: first.cpuUs, found: hits.filter(({ freshness }) => freshness).length, ...summarize(samples) })
