// Repairs the memory a given number of times.
import { verifyMemory } from '../../../index.js'
import { serve } from './child.mjs'

await serve(({ project, times }) => {
  const damaged = Array.from({ length: times }, () => verifyMemory({ projectDir: project, repair: true }).damaged)
  return damaged.reduce((total, count) => total + count, 0)
})
