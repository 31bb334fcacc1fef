// Captures the given texts one at a time, and reports when it began.
import { captureMemory } from '../../../index.js'
import { serve } from './child.mjs'

await serve(({ project }) => {
  return new Promise((resolve) => {
    process.on('message', ({ capture, as }) => {
      if (!capture) return resolve('stopped')
      const at = Date.now()
      const { id } = captureMemory(capture, { projectDir: project })
      process.send({ [as]: { at, id } })
    })
  })
})
