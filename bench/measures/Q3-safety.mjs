// Q3: processes that capture are killed at random; nothing that was acknowledged may be lost, doubled or torn.
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../data/random.mjs'
import { rawLogPath } from '../data/store.mjs'
import { makeRow } from '../harness/row.mjs'

const WRITERS = 4
const PAUSE_MS = { shortest: 20, spread: 400 }
const MIB = 2 ** 20
/** Enough lessons for a raw log of more than 512 MiB, the longest string of Node. */
const HUGE_SIZE = 1_500_000

/** Keeps one slot filled with a living writer; `kill` ends the writer of the moment, the next one follows at once. */
class Writer {
  #child
  #runs = 0
  #stopped = false

  constructor(bench, dir, slot, acknowledged) {
    this.start = () => {
      const name = `w${slot}r${this.#runs++}`
      const file = bench.path(`acknowledged-${name}.txt`)
      acknowledged.push(file)
      const [program, args] = bench.children.command('safety-writer', {
        dir,
        name,
        file,
        seed: slot * 100_000 + this.#runs,
      })
      this.#child = spawn(program, args, { env: bench.children.environment, stdio: ['ignore', 'ignore', 'inherit'] })
      this.ended = new Promise((resolve) => this.#child.once('exit', (code) => resolve(code)))
      this.ended.then((code) => {
        // A writer runs until it is killed: an exit of its own is a failed capture.
        if (code !== null) this.failures++
        if (!this.#stopped) this.start()
      })
    }
    this.failures = 0
    this.start()
  }

  kill() {
    this.#child.kill('SIGKILL')
  }

  async stop() {
    this.#stopped = true
    this.kill()
    await this.ended
  }
}

async function killWriters(bench, dir) {
  const acknowledged = []
  const random = new Random(22)
  const writers = Array.from({ length: WRITERS }, (_, slot) => new Writer(bench, dir, slot, acknowledged))
  const end = performance.now() + bench.options.seconds * 1e3
  let kills = 0
  while (performance.now() < end) {
    await sleep(PAUSE_MS.shortest + random.below(PAUSE_MS.spread))
    random.pick(writers).kill()
    kills++
  }
  await Promise.all(writers.map((writer) => writer.stop()))
  return { acknowledged, kills, failures: writers.reduce((sum, writer) => sum + writer.failures, 0) }
}

async function measureKills(bench) {
  const dir = bench.newProject('safety')
  bench.progress(`${WRITERS} writers, killed at random for ${bench.options.seconds} s`)
  const { acknowledged, kills, failures } = await killWriters(bench, dir)
  bench.progress('looking for every acknowledged record')
  const check = bench.children.run('safety-check', { dir, acknowledged })
  const row = (what, ours, note) => makeRow({ measure: 'Q3', what, note, unit: 'count', ours, target: { exactly: 0 } })
  return [
    row('acknowledged captures lost', check.lost, `${check.acknowledged} acknowledged, ${kills} kills`),
    row('acknowledged captures that recall does not find', check.notRecalled),
    row('the same, with the index deleted', check.notRecalledAfresh),
    row('records doubled', check.doubled, `${check.records} records`),
    row('lines torn', check.torn),
    row('acknowledged captures missing in the file of their type', check.missingInType),
    row('acknowledged duplicates whose original is not there', check.withoutOriginal, `${check.duplicates} duplicates`),
    row('captures that failed', failures),
  ]
}

function measureHugeFile(bench) {
  const dir = bench.written(HUGE_SIZE)
  const megabytes = statSync(rawLogPath(dir)).size / MIB
  const check = bench.children.run('huge-file', { dir, expected: HUGE_SIZE })
  return makeRow({
    measure: 'Q3',
    what: 'operations that fail on a huge raw log',
    note: `${megabytes.toFixed(0)} MiB; ${check.failed.join(', ') || `${check.seconds.toFixed(1)} s for all of them`}`,
    size: HUGE_SIZE,
    unit: 'count',
    ours: check.failed.length,
    target: { exactly: 0 },
  })
}

export async function measure(bench) {
  const rows = await measureKills(bench)
  return bench.options.deep ? [...rows, measureHugeFile(bench)] : rows
}
