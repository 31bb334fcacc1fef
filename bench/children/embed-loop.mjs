// Opens the installed model, makes vectors one by one and many at once.
import { percentile } from '../harness/statistics.mjs'
import { input, loadAddon, report } from './process.mjs'

const { LocalEmbedder } = loadAddon()

/** Milliseconds on the clock and of processor time, all threads of the process. */
async function timed(work) {
  const before = process.cpuUsage()
  const started = performance.now()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wall: performance.now() - started, cpu: (user + system) / 1000 }
}

async function repeated(times, work) {
  const samples = []
  for (let at = 0; at < times; at++) samples.push(await timed(work))
  const middle = (name) =>
    percentile(
      samples.map((sample) => sample[name]).sort((a, b) => a - b),
      0.5,
    )
  return { cpu: middle('cpu'), wall: middle('wall') }
}

const before = process.memoryUsage().rss
const embedder = LocalEmbedder.open({ folder: input.folder })
const first = await timed(() => embedder.embed([input.short]))
const many = Array.from({ length: input.batch }, (_, at) => `${input.short} ${at}`)
const single = await repeated(20, () => embedder.embed([input.short]))
const long = await repeated(5, () => embedder.embed([input.long]))
const batch = await repeated(3, () => embedder.embed(many))
const few = await repeated(3, () => embedder.embed(Array.from({ length: input.few }, () => input.middle)))
report({ first, single, long, batch, few, rssBytes: process.memoryUsage().rss - before })
