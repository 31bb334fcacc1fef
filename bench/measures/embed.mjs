// embed: vectors for texts with the installed local model. There is no target; the figures say what a query waits for and how
// long a change of the embedder takes.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const SHORT = 'Jest needs --runInBand on Windows, or the gate times out'
const LONG = 'caches, locks and queues that go on and on '.repeat(40)
const BATCH = 64

/** The model of the user, or the one that the tests have installed. */
function installedFolder() {
  const homes = [
    process.env.FORGE_HOME,
    join(homedir(), '.forge'),
    fileURLToPath(new URL('../../.cache/model/home', import.meta.url)),
  ]
  const folders = homes.filter(Boolean).map((home) => join(home, 'models', 'all-MiniLM-L6-v2'))
  return folders.find((folder) => existsSync(join(folder, 'model.int8.safetensors')))
}

export function measure(bench) {
  const folder = installedFolder()
  if (!folder) return bench.skip('embed', 'the model is not installed; run: forge-memory model install')
  const reports = []
  bench.eachRound('vectors', () => {
    reports.push(bench.children.run('embed-loop', { folder, short: SHORT, long: LONG, batch: BATCH }))
  })
  const of = (pick) => median(reports.map(pick))
  const row = (what, name) =>
    makeRow({
      measure: 'embed',
      what,
      unit: 'ms',
      ours: of((report) => report[name].cpu),
      note: `${of((report) => report[name].wall).toFixed(1)} ms on the clock`,
    })
  const perSecond = (BATCH * 1000) / of((report) => report.batch.cpu)
  return [
    row('first text of a process, the model checked and loaded', 'first'),
    row('one text of 18 tokens', 'single'),
    row('one text of 256 tokens', 'long'),
    {
      ...row(`${BATCH} texts of 20 tokens in one call`, 'batch'),
      note: `${perSecond.toFixed(0)} texts a second of one core`,
    },
    makeRow({
      measure: 'embed',
      what: 'memory with the model loaded',
      unit: 'MiB',
      ours: of((report) => report.rssBytes) / 2 ** 20,
    }),
  ]
}
