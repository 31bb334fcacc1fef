// Uses the shared memory without any endpoint, and tells which doors to the network were tried.
import { createRequire } from 'node:module'
import { tried } from './doors.mjs'

const memory = createRequire(import.meta.url)('../../../dist/index.js')
const { project } = JSON.parse(process.argv[2])
const options = { projectDir: project }
const first = await memory.captureThought({ content: 'never mock the clock' }, options)
const report = await memory.drainOpenBrain(options)
const worker = (await memory.createDrainWorker(options)).start()
const second = await memory.captureThought({ content: 'pnpm vitest run for the pipeline' }, options)
await new Promise((resolve) => worker.once('pass', resolve))
await worker.stop()
const { thoughts, backend, semantic } = await memory.searchThoughts('mock', options)
const { reachable, queued } = await memory.openBrainStatus(options)
const facts = { queued: [first.queued, second.queued], delivered: report.delivered, found: thoughts.length }
console.log(JSON.stringify({ ...facts, backend, semantic, reachable, left: queued, tried }))
