// Saves patterns, as one process or as several threads of one.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { memorySave } from '../../../index.js'
import { serve } from './child.mjs'

/** The n-th pattern of a set; every process writes it in a case of its own. */
function patternOf({ prefix, padding = 0 }, number, seed) {
  const text = `${prefix} lesson ${number} ${'x'.repeat((number * 37) % (padding + 1))}`
  return (number + seed) % 2 === 0 ? text : text.toUpperCase()
}

function saveAll({ project, set, count, from, seed }) {
  const statuses = { saved: 0, duplicate: 0 }
  const ids = []
  for (let at = 0; at < count; at++) {
    // Everyone begins somewhere else, so that the same pattern is new to several at once.
    const number = (at + from) % count
    const input = { pattern: patternOf(set, number, seed), category: 'convention' }
    const { status, id } = memorySave(input, { projectDir: project })
    statuses[status]++
    ids.push(id)
  }
  return { ...statuses, ids }
}

function inThread(work) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: work })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

if (!isMainThread) {
  parentPort.postMessage(saveAll(workerData))
} else {
  await serve((work) =>
    work.threads ? Promise.all(work.threads.map((thread) => inThread({ ...work, ...thread }))) : [saveAll(work)],
  )
}
