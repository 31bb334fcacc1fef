// Questions to one large graph, in process.
import { input, loadAddon, report } from './process.mjs'

const { latticeBlast, latticeCallers, latticeQuery, latticeStat } = loadAddon()
const projectDir = input.dir

/** Processor time of each call in milliseconds. */
function times(calls) {
  return calls.map((call) => {
    const before = process.cpuUsage()
    const started = performance.now()
    call()
    const wallMs = performance.now() - started
    const { user, system } = process.cpuUsage(before)
    return { wallMs, cpuMs: (user + system) / 1e3 }
  })
}

const cold = times([() => latticeQuery({ query: 'load the user session', projectDir })])
const { names, words } = input
const query = times(words.map((query) => () => latticeQuery({ query, projectDir })))
const callers = times(names.map((name) => () => latticeCallers({ name, projectDir })))
const blast = times(names.map((name) => () => latticeBlast({ name, projectDir })))
report({ cold, query, callers, blast, chunks: latticeStat({ projectDir }).chunks })
