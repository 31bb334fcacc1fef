import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { captureMemory, recall } from '../index.js'
import { freshMemory, isWindows } from './support/memory.mjs'

/** Takes the lock as another program would, and keeps it. */
const KEEPER =
  'use Fcntl ":flock"; $| = 1; open(F, ">>", $ARGV[0]) or die; flock(F, LOCK_EX) or die; print "held"; <STDIN>'
const PATIENCE_MS = 10_000

test('a capture whose lock is held for ten seconds reports LOCKED in every tier, and recall still works', async (t) => {
  // Windows has no program at hand that keeps a lock; the engine's own tests do it there.
  if (isWindows) return
  const memory = freshMemory(t)
  const body = 'Integration tests must close the pool'
  assert.equal(captureMemory({ type: 'lesson', body }, memory.options).captured, true)
  const keeper = spawn('perl', ['-e', KEEPER, memory.forge('locks', 'memory-captures.lock')])
  t.after(() => keeper.kill())
  await once(keeper.stdout, 'data')

  const start = performance.now()
  const refused = captureMemory({ type: 'lesson', body: 'Prices are integers of cents' }, memory.options)
  assert.ok(performance.now() - start >= PATIENCE_MS * 0.9)
  assert.deepEqual([refused.captured, refused.deduped], [false, false])
  for (const tier of ['hub', 'files', 'openbrain']) {
    assert.equal(refused.tiers[tier].ok, false)
    assert.equal(refused.tiers[tier].error.code, 'LOCKED')
  }
  assert.deepEqual(
    recall('pool prices', memory.options).hits.map(({ text }) => text),
    [body],
  )

  keeper.kill()
  await once(keeper, 'close')
  const again = captureMemory({ type: 'lesson', body: 'Prices are integers of cents' }, memory.options)
  assert.equal(again.captured, true)
})
