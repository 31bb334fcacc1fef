// Writes until it is killed. A line on standard output follows each call that returned, in one write.
import { writeSync } from 'node:fs'
import { captureMemory, forget, memorySave } from '../../../index.js'
import { sentenceOf } from '../memory.mjs'

const [project, from] = [process.argv[2], Number(process.argv[3])]
const options = { projectDir: project }
const acknowledge = (...words) => writeSync(1, `${words.join(' ')}\n`)

const captured = []
for (let number = from; ; number++) {
  if (number % 2 === 0) {
    const outcome = captureMemory({ type: 'lesson', body: sentenceOf(number), tool: 'forge_sweep' }, options)
    if (!outcome.captured && !outcome.deduped) throw new Error(`capture ${number} is nowhere`)
    acknowledge(outcome.captured ? 'captured' : 'known', number, outcome.id)
    captured.push(outcome.id)
  } else {
    const { id } = memorySave({ category: 'convention', pattern: sentenceOf(number) }, options)
    acknowledge('saved', number, id)
  }
  if (captured.length === 8) {
    // One of the eight goes again: a tombstone is a promise as well.
    const [id] = captured.splice(0)
    if (!forget(id, options).removed) throw new Error(`${id} was not there to forget`)
    acknowledge('forgotten', number, id)
  }
}
