// Drains a project's queue until it is stopped.
import { createRequire } from 'node:module'
import { serve } from './child.mjs'

const { createDrainWorker } = createRequire(import.meta.url)('../../../dist/outbox/worker.js')

await serve(async ({ project, intervalMs = 200, maxBatch }) => {
  const worker = createDrainWorker({ projectDir: project, intervalMs, maxBatch })
  let delivered = 0
  worker.on('pass', (report) => {
    delivered += report.delivered
  })
  const stop = new Promise((resolve) => process.on('message', (message) => message.stop && resolve()))
  worker.start()
  await stop
  await worker.stop()
  return { delivered }
})
