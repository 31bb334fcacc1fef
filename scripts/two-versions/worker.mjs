// Works on a project with the library of one version until it is killed:
//   node worker.mjs ROLE LIBRARY PROJECT NAME SEED
// A line on standard output, in one write, follows each call that returned.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { changedFact, ownText, sharedText } from './texts.mjs'

const [role, library, projectDir, name, seed] = process.argv.slice(2)
const memory = createRequire(import.meta.url)(library)
const options = { projectDir }
const acknowledge = (what) => writeSync(1, `${JSON.stringify(what)}\n`)

function capture(body, kind) {
  const outcome = memory.captureMemory({ type: 'lesson', body, tool: 'two-versions' }, options)
  if (!outcome.captured && !outcome.deduped) throw new Error(`a capture of ${name} is nowhere`)
  const retired = (outcome.retired ?? []).map(({ id }) => id)
  acknowledge({ kind, id: outcome.captured ? outcome.id : outcome.duplicateOf, isNew: outcome.captured, body, retired })
  return outcome
}

/** Texts of its own, texts that all writers have, facts that change, and records that are forgotten again. */
function write() {
  let spare
  for (let number = 0; ; number++) {
    const own = capture(ownText(name, number), 'own')
    capture(sharedText(Number(seed) + number), 'shared')
    if (number % 5 === 0) capture(changedFact(name, number / 5), 'fact')
    if (number % 7 === 0) spare = own.captured ? own.id : undefined
    if (number % 7 === 3 && spare !== undefined) {
      // A process that is killed between the two lines may have forgotten it or not.
      acknowledge({ kind: 'forgetting', id: spare })
      if (memory.forget(spare, options).removed) acknowledge({ kind: 'forgotten', id: spare })
    }
  }
}

/** Asks for everything that a session or a person asks for. */
function read() {
  for (let number = 0; ; number++) {
    memory.recall(sharedText(number), { ...options, limit: 5 })
    memory.listMemories({ ...options, limit: 20 })
    memory.memoryStatus(options)
    if (number % 10 === 0) memory.diagnose(options)
  }
}

/** Rewrites the journal, and everything that is derived from it. */
function keep() {
  for (;;) {
    memory.compactMemory(options)
    memory.settleIndex(options)
    memory.healMemory(options)
  }
}

const ROLES = { write, read, keep }
ROLES[role]()
