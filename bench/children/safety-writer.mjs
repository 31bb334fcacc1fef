// Captures until it is killed. A line in the file of acknowledgements follows each successful call.
import { openSync, writeSync } from 'node:fs'
import { lessons } from '../data/lessons.mjs'
import { captureOf, input, loadAddon } from './process.mjs'

const { captureMemory } = loadAddon()
const options = { projectDir: input.dir }
const file = openSync(input.file, 'a')
let number = 0

/** A word of letters only: one with digits would be taken apart and found by its parts as well. */
function spell(name, count) {
  return `${name}n${count}`.replace(/\d/g, (digit) => 'bcdfghjklm'[digit])
}

for (const lesson of lessons(Number.MAX_SAFE_INTEGER, input.seed)) {
  // A word that no other capture has, to find the record by. The edited lessons remain near duplicates.
  const marker = spell(input.name, number++)
  const outcome = captureMemory(captureOf({ ...lesson, content: `${lesson.content} ${marker}` }), options)
  if (outcome.deduped) writeSync(file, `duplicate ${outcome.duplicateOf}\n`)
  else if (outcome.captured) {
    const retired = outcome.retired.map(({ id }) => `retired ${id}\n`)
    writeSync(file, `captured ${outcome.id} ${marker} ${lesson.type}\n${retired.join('')}`)
  } else throw new Error(`capture ${marker} failed`)
}
