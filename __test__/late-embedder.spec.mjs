import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, createDrainWorker, drainOpenBrain, openBrainStatus } from '../dist/index.js'
import { freshCommand, json, runBeside } from './support/command.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { useHome } from './support/home.mjs'
import { freshMemory } from './support/memory.mjs'
import { approveStores } from './support/trust.mjs'

/** An embedder that is set only after thoughts were delivered without one, as a model is that is installed late. */
async function late(t, memory) {
  const embedder = await startEmbedder()
  t.after(() => embedder.close())
  const settings = { embedder: { kind: 'ollama', url: embedder.url, model: 'test' } }
  writeFileSync(join(memory.project, '.forge.json'), JSON.stringify(settings))
  approveStores(memory.project)
}

test('status counts thoughts without a vector, and one drain computes them', async (t) => {
  const command = freshCommand(t)
  for (const body of ['Readers never wait.', 'The gate needs Node 20.', 'Deploy on Mondays.']) {
    json(command, ['capture', '--type', 'lesson', body])
  }
  json(command, ['drain'])
  assert.doesNotMatch(command.run(['status']).stdout, /computes the others/)
  useHome(t, command.home)
  await late(t, command)
  const status = await runBeside(command, ['status'])
  assert.match(
    status.stdout,
    /by meaning +0 of 3 records have a vector of ollama:test: forge-memory embed computes the others/,
  )
  const drain = await runBeside(command, ['drain'])
  assert.equal(drain.status, 0, drain.stderr)
  assert.match(drain.stdout, /3 vectors made\./)
  const { stdout } = await runBeside(command, ['status'])
  assert.match(stdout, /by meaning +3 of 3 records/)
  assert.doesNotMatch(stdout, /computes the others/)
})

test('the drain worker computes them too, with an empty queue', { timeout: 120_000 }, async (t) => {
  const memory = freshMemory(t)
  for (const body of ['Readers never wait.', 'The gate needs Node 20.']) {
    captureMemory({ type: 'lesson', body }, memory.options)
  }
  assert.equal((await drainOpenBrain(memory.options)).delivered, 2)
  await late(t, memory)
  assert.deepEqual((await openBrainStatus(memory.options)).vectors.done, 0)
  const worker = await createDrainWorker(memory.options)
  t.after(() => worker.stop())
  const done = new Promise((resolve) => {
    worker.on('embedding', (progress) => progress.done === progress.total && resolve())
  })
  await worker.start()
  await done
  const { vectors } = await openBrainStatus(memory.options)
  assert.deepEqual([vectors.done, vectors.total], [2, 2])
})
