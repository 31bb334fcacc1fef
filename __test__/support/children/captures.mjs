// Captures the texts it is given and tells what became of each.
import { captureMemory } from '../../../index.js'
import { serve } from './child.mjs'

await serve(({ project, captures }) => {
  return captures.map((capture) => {
    const { id, captured, deduped, duplicateOf } = captureMemory(capture, { projectDir: project })
    return { id, captured, deduped, duplicateOf }
  })
})
