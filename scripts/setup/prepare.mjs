import { whileClaimed } from './claim.mjs'
import { fingerprint, readStamps, writeStamps } from './fingerprint.mjs'
import { run } from './run.mjs'
import { requireRust } from './rust.mjs'
import { steps } from './steps.mjs'

/** The steps that need Rust. */
const BUILT = new Set(['engine alone', 'engine', 'addons'])

/**
 * Brings the checkout up to date: packages, engine, programs, addons. Steps whose inputs and outputs are unchanged are skipped, and so are
 * those that `later` names. `next` says what the caller does then: it is numbered with the steps that were done, if any was.
 */
export async function prepare(root, { isPrebuilt = false, isRustNeeded = false, later = [], next } = {}) {
  if (isRustNeeded) requireRust(root)
  await whileClaimed(root, async () => {
    const now = stepsNow(root, later).filter((step) => !(isPrebuilt && BUILT.has(step.name)))
    await runSteps(root, now, next)
  })
}

async function runSteps(root, now, next) {
  const started = Date.now()
  const beside = new Set(now.flatMap((step) => step.beside ?? []))
  const numbered = now.filter((step) => !beside.has(step.name) && !isUpToDate(root, step))
  const last = numbered.length + (next === undefined ? 0 : 1)
  let ran = 0
  for (const step of now) {
    const at = numbered.indexOf(step)
    // What ran beside an earlier step is here again only when it failed there, or its inputs have changed since.
    const label = at < 0 ? `${step.title}, once more` : `[${at + 1}/${last}] ${step.title}`
    const others = bringUpToDateBeside(root, step.beside)
    if (await bringUpToDate(root, step, label, { beside: others })) ran += 1
    await others
  }
  if (ran === 0) return
  console.log(`set up in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
  if (next !== undefined) console.log(`[${last}/${last}] ${next}\n`)
}

/** The steps that are not left for later. A part of another one stands in for it where that one is, unless it is up to date. */
export function stepsNow(root, later) {
  return steps.filter(({ name, partOf }) => {
    if (partOf === undefined) return !later.includes(name)
    return later.includes(partOf) && !isUpToDate(root, named(partOf))
  })
}

const named = (name) => steps.find((step) => step.name === name)

/** Starts later steps already now, one after the other. If one fails, or its inputs change meanwhile, it runs again at its place. */
async function bringUpToDateBeside(root, names = []) {
  for (const step of names.map(named)) {
    try {
      await bringUpToDate(root, step, step.title, { isBeside: true })
    } catch (error) {
      // The next one may need what this one makes.
      return console.error(`${error.message}; it is tried again after what is under way`)
    }
  }
}

/** Brings one step up to date while something else runs, which it leaves the processor and the terminal to. Tells how it ended. */
export async function prepareBeside(root, name, signal) {
  const step = named(name)
  const bring = () => bringUpToDate(root, step, step.title, { signal, isBeside: true })
  try {
    if (await whileClaimed(root, bring, signal)) console.log(`done: ${step.title}`)
  } catch (error) {
    if (!signal.aborted) console.error(`error: ${error.message}\nhint: ${error.hint ?? 'npm run build shows why'}`)
  }
}

const inputsOf = (root, step) => fingerprint(root, step.inputs(root), step.needs?.(root) ?? process.version)

/** Whether a step has nothing to do. Its inputs are read unless the caller knows them. */
function isUpToDate(root, step, inputs) {
  const done = readStamps(root)[step.name]
  if (done === undefined || !(step.isComplete?.(root) ?? true)) return false
  return done.inputs === (inputs ?? inputsOf(root, step)) && done.outputs === fingerprint(root, step.outputs(root))
}

async function bringUpToDate(root, step, label, { beside, ...how } = {}) {
  const inputs = inputsOf(root, step)
  if (isUpToDate(root, step, inputs)) return false
  await run(label, step.run(root), root, how)
  // The stamps are within the folder of the packages, which an installation empties first.
  await beside
  // Read again: another step may have run beside this one. The inputs are those from before, because one that has changed meanwhile may
  // not have been read.
  writeStamps(root, { ...readStamps(root), [step.name]: { inputs, outputs: fingerprint(root, step.outputs(root)) } })
  return true
}
