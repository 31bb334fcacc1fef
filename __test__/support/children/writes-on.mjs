// Captures one lesson for each byte of standard input. Prints what was acknowledged when the input has ended.
import { captureMemory } from '../../../index.js'
import { sentenceOf } from '../memory.mjs'

const [, , projectDir, from] = process.argv
const ids = []
let number = Number(from)
for await (const asked of process.stdin) {
  for (const _ of asked) {
    const { id, captured, tiers } = captureMemory({ type: 'lesson', body: sentenceOf(number++) }, { projectDir })
    if (captured && tiers.files.ok) ids.push(id)
  }
}
console.log(JSON.stringify(ids))
