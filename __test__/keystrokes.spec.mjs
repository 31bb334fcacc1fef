import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { keysOf, page, TASKS } from '../bench/keystrokes.mjs'
import { root } from './support/project.mjs'
import { freshStage, typed } from './support/typed-pages.mjs'

test('the page of keystrokes is what its program writes, and no task takes more keys than it did', () => {
  assert.equal(
    readFileSync(join(root, 'bench', 'keystrokes.md'), 'utf8'),
    page(),
    'node bench/keystrokes.mjs writes it',
  )
  assert.equal(TASKS.length, 13)
  assert.ok(keysOf(TASKS[0].now) <= 120, `the first answer takes ${keysOf(TASKS[0].now)} keys`)
  for (const { task, before, now } of TASKS.filter((one) => one.before)) assert.ok(keysOf(now) <= keysOf(before), task)
})

for (const name of ['before', 'now']) {
  test(`what a newcomer types does its task: ${name}`, async (t) => {
    const stage = freshStage(t)
    const shown = async (line) => {
      const { status, output } = await typed(`forge-memory ${line}`, stage)
      assert.deepEqual([line, status], [line, 0], output)
      return output
    }
    const newest = async () => JSON.parse(await shown('--json list -t gotcha -n 1')).entries[0].id
    for (const { task, [name]: lines = [] } of TASKS) {
      for (const line of lines.filter((each) => !each.startsWith('$ '))) {
        const id = line.includes('ID') ? await newest() : ''
        if (task === 'correct it') await shown('add -t gotcha "Jest needs -i"')
        await shown(line.replace('ID', task === 'correct it' ? await newest() : id))
      }
    }
    const texts = JSON.parse(await shown('--json list')).entries.map(({ text }) => text)
    assert.ok(texts.includes('Makefiles use tabs') && texts.includes('Jest needs --runInBand'), texts.join())
  })
}
