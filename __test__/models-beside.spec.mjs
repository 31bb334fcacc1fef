// A model that is replaced while its vectors are read, two processes with two models, and texts that no model was trained on.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, embedMemories, recall, useModel } from '../dist/index.js'
import { freshCommand, runBeside } from './support/command.mjs'
import { freshMemory as madeMemory } from './support/memory.mjs'
import { model, runModel } from './support/model.mjs'
import { freshFolder } from './support/project.mjs'
import { NOTES, SMALL, tinyModel, writeModel } from './support/tiny-model.mjs'

function freshMemory(t) {
  const memory = madeMemory(t)
  mkdirSync(memory.home, { recursive: true })
  return memory
}

async function run(home, args) {
  const { status, stderr } = await runModel(home, args)
  assert.deepEqual([status, stderr], [0, ''], args.join(' '))
}

const published = (t, seed) => writeModel(join(freshFolder(t), 'published'), tinyModel({ seed }))

test('while a model is replaced, an answer is of the old one, of words, or of the new one', async (t) => {
  const memory = freshMemory(t)
  for (const body of NOTES) captureMemory({ type: 'lesson', body }, memory.options)
  const from = { old: published(t, 1), new: published(t, 9) }
  await run(memory.home, ['install', SMALL, '--from', from.old])
  useModel(SMALL)
  await embedMemories(memory.options)
  const told = ({ mode, hits }) => JSON.stringify([mode, hits.map(({ text, cosine }) => [text, cosine])])
  const ask = (mode) => told(recall('rotate key', { ...memory.options, mode }))
  const old = ask('meaning')
  const words = ask('words')

  const replaced = run(memory.home, ['remove', SMALL, '--yes']).then(() =>
    run(memory.home, ['install', SMALL, '--from', from.new]),
  )
  const during = new Set()
  let isOver = false
  replaced.finally(() => {
    isOver = true
  })
  while (!isOver) {
    during.add(ask('meaning'))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await replaced
  useModel(SMALL)
  // Nothing is compared with vectors of the old model, which has the same name.
  assert.equal(ask('meaning'), words)
  const { covered } = await embedMemories(memory.options)
  assert.equal(covered, NOTES.length)
  const now = ask('meaning')
  assert.notEqual(now, old)
  assert.match(now, /^\["meaning"/)
  for (const answer of during) assert.ok([old, words].includes(answer), answer)
})

test('two processes with two models embed side by side, and each finds by its own', async (t) => {
  const home = freshFolder(t)
  const sources = { 'all-MiniLM-L6-v2': model.unpacked, [SMALL]: published(t, 1) }
  for (const [name, from] of Object.entries(sources)) await run(home, ['install', name, '--from', from])
  const commands = Object.keys(sources).map((name) => {
    const command = { ...freshCommand(t), home }
    writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ embedder: { kind: 'local', model: name } }))
    return command
  })
  const inHome = { FORGE_HOME: home }
  for (const command of commands) {
    for (const body of NOTES) {
      const { status, stderr } = command.run(['add', '--type', 'lesson', body], { env: inHome })
      assert.equal(status, 0, stderr)
    }
  }
  const made = await Promise.all(commands.map((command) => runBeside(command, ['embed'], inHome)))
  assert.deepEqual(
    made.map(({ status }) => status),
    [0, 0],
    JSON.stringify(made),
  )
  const asked = ['--json', 'find', '--mode', 'meaning', 'rotate key']
  const found = commands.map((command) => JSON.parse(command.run(asked, { env: inHome }).stdout))
  for (const { mode, hits } of found) {
    assert.deepEqual([mode, hits.length > 0], ['meaning', true])
    for (const { cosine } of hits) assert.ok(cosine >= -1 && cosine <= 1)
  }
  assert.notDeepEqual(...found.map(({ hits }) => hits.map(({ text, cosine }) => [text, cosine])))
})

test('60 KB of mixed scripts, and nothing but emoji, are embedded and found', async (t) => {
  const memory = freshMemory(t)
  await run(memory.home, ['install', SMALL, '--from', published(t, 1)])
  useModel(SMALL)
  const mixed = 'Ошибка 日本語 error größe 🦀 العربية क्षेत्र '
  const long = mixed.repeat(Math.ceil(60_000 / Buffer.byteLength(mixed)))
  const texts = ['🦀🎉🔥', `${long} rotate key`, ...NOTES]
  for (const body of texts) assert.ok(captureMemory({ type: 'lesson', body }, memory.options).thought.id)
  const { covered, total } = await embedMemories(memory.options)
  assert.deepEqual([covered, total], [texts.length, texts.length])
  for (const mode of ['auto', 'meaning', 'words']) {
    const best = (query) => recall(query, { ...memory.options, mode }).hits[0]?.text
    if (mode !== 'meaning') assert.equal(best('🦀🎉'), texts[0], mode)
    for (const query of ['🔥', long, mixed, '\u200d'.repeat(9), '教'.repeat(20_000)]) {
      const { hits } = recall(query, { ...memory.options, mode })
      for (const { cosine } of hits) assert.ok(cosine === undefined || (cosine >= -1 && cosine <= 1))
    }
  }
})
