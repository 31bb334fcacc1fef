// Adds lessons to a loop's memory and returns the ids that it was given.
import { ralphAdd } from '../../../index.js'
import { sentenceOf } from '../memory.mjs'
import { serve } from './child.mjs'

await serve(({ project, from, count, loopId }) => {
  const outcomes = []
  for (let number = from; number < from + count; number++) {
    const { id, added } = ralphAdd({ lesson: sentenceOf(number), loopId }, { projectDir: project })
    outcomes.push({ id, added })
  }
  return outcomes
})
