// embed: vectors for texts with the installed local model. There is no target; the figures say what a query waits for and how
// long a change of the embedder takes. `references/onnx_runtime.py` does the same with ONNX Runtime.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeRow } from '../harness/row.mjs'
import { median } from '../harness/statistics.mjs'

const SHORT = 'Jest needs --runInBand on Windows, or the gate times out'
/** 98 words that are one token each; with the first and the last token, a hundred. */
const MIDDLE = 'time day work house table order page line test file '.repeat(10).split(' ').slice(0, 98).join(' ')
const LONG = 'caches, locks and queues that go on and on '.repeat(40)
const BATCH = 64
const FEW = 8

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
    reports.push(
      bench.children.run('embed-loop', { folder, short: SHORT, middle: MIDDLE, long: LONG, batch: BATCH, few: FEW }),
    )
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
  const perSecond = (name, texts) =>
    `${((texts * 1000) / of((report) => report[name].cpu)).toFixed(0)} texts a second of one core`
  return [
    row('first text of a process, the model checked and loaded', 'first'),
    row('one text of 18 tokens', 'single'),
    row('one text of 256 tokens', 'long'),
    {
      ...row(`${BATCH} texts of 20 tokens in one call`, 'batch'),
      note: perSecond('batch', BATCH),
    },
    { ...row(`${FEW} texts of 100 tokens in one call`, 'few'), note: perSecond('few', FEW) },
    makeRow({
      measure: 'embed',
      what: 'memory with the model loaded',
      unit: 'MiB',
      ours: of((report) => report.rssBytes) / 2 ** 20,
    }),
  ]
}
