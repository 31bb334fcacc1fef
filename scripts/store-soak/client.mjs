// Works on one project until it is killed: node client.mjs ROLE PROJECT NAME
// A line on standard output, in one write, follows each call that returned.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as memory from '../../dist/index.js'
import { ownText } from './texts.mjs'

const [role, projectDir, name] = process.argv.slice(2)
const options = { projectDir }
const acknowledge = (what) => writeSync(1, `${JSON.stringify(what)}\n`)
/** Between two captures of one process, so that the store can keep up. */
const REST_MS = 20

/** Captures; every seventh record is edited, and every ninth is forgotten. */
async function write() {
  for (let number = 0; ; number++) {
    const { id } = memory.captureMemory({ type: 'lesson', body: ownText(name, number), tool: 'soak' }, options)
    acknowledge({ kind: 'stored', id })
    let current = id
    if (number % 7 === 3) {
      acknowledge({ kind: 'changing', id })
      current = memory.editMemory(id, { body: ownText(`${name}edited`, number) }, options).id
      acknowledge({ kind: 'stored', id: current })
    }
    if (number % 9 === 4) {
      acknowledge({ kind: 'changing', id: current })
      if (memory.forget(current, options).removed) acknowledge({ kind: 'forgotten', id: current })
    }
    await sleep(REST_MS)
  }
}

/** Delivers, and computes missing vectors. A store that is away is no failure. */
async function drain() {
  for (;;) {
    const { state, deadLetters } = await memory.drainOpenBrain(options).catch((error) => {
      if (error.code !== 'LOCKED') throw error
      return { state: 'locked', deadLetters: 0 }
    })
    acknowledge({ kind: 'drained', state, deadLetters })
    await sleep(200)
  }
}

async function search() {
  for (let number = 0; ; number++) {
    const { backend, semantic } = await memory.searchThoughts(ownText(name, number), options)
    acknowledge({ kind: 'searched', backend, semantic })
    await sleep(100)
  }
}

const ROLES = { write, drain, search }
await ROLES[role]()
