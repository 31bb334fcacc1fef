// Every line of every file of records says of which version it is.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { forget, latticeIndex, memorySave, migrateMemory, rateMemory, replaceMemory } from 'forge-memory'
import { autoDrainOpenBrainQueue, captureMemory, createHub } from 'forge-memory/plan-forge'
import { freshProject, OLDER_LOG, olderThought } from './support/plan-forge.mjs'

/** The files of lines below a folder, by their paths. */
function lineFiles(folder, path = '') {
  return readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('.migration') ? [] : lineFiles(folder, below)
    return entry.name.endsWith('.jsonl') ? [below] : []
  })
}

test('every line of every file that a busy project has carries the version', async (t) => {
  const project = freshProject(t)
  project.write('a.js', 'export function alpha() {\n  return beta()\n}\nfunction beta() {}\n')
  project.append('.forge/hub-events.jsonl', { version: '1.0', type: 'slice-started' })
  project.append(OLDER_LOG, olderThought('The older tool knows this'))
  const capture = (content, type) =>
    captureMemory({ content, type, source: 'forge_sweep', cwd: project.cwd }).thought.id
  const ids = ['gotcha', 'lesson', 'decision', 'pattern', 'convention', 'insight'].map((type) =>
    capture(`Something about the ${type} of the gate`, type),
  )
  memorySave({ pattern: 'Tabs, not spaces', category: 'convention' }, project.options)
  rateMemory(ids[0], 'useful', { ...project.options, session: 'test:one' })
  replaceMemory({ old: ids[1], by: ids[2] }, project.options)
  forget(ids[3], project.options)
  const hub = await createHub({ port: 0, cwd: project.cwd })
  hub.broadcast({ type: 'run-started', data: { plan: 'P' } })
  await hub.close()
  const dispatcher = ({ type }) => ({ ok: type !== 'gotcha', error: 'HTTP_503' })
  await autoDrainOpenBrainQueue(project.cwd, { dispatcher })
  await latticeIndex(project.options)
  migrateMemory(project.options)
  const files = lineFiles(project.at('.forge'))
  for (const name of ['memory-captures', 'hub-events', 'hub-events.mark', 'openbrain-queue', 'liveguard-memories'])
    assert.ok(files.includes(`${name}.jsonl`), `${name}: ${files}`)
  for (const name of ['chunks.jsonl', 'edges.jsonl']) assert.ok(files.includes(join('lattice', name)), name)
  // What another tool had written is kept as it was.
  for (const file of files.filter((name) => name !== 'hub-events.foreign.jsonl')) {
    const lines = readFileSync(project.at('.forge', file), 'utf8').split('\n').filter(Boolean)
    for (const line of lines) assert.equal(JSON.parse(line)._v, 1, `${file}: ${line.slice(0, 200)}`)
  }
})
