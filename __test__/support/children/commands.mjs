// Runs command lines one after the other in one process, as a person who types them would one by one: what each prints stands behind a line with its number.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'

const chunks = createRequire(import.meta.url)('../../../dist/cli/program.js')
const { run } = Object.values(chunks).find((one) => typeof one?.run === 'function')
for (const [at, line] of JSON.parse(process.argv[2]).entries()) {
  writeSync(1, `\0${at}\0`)
  await run(line)
}
