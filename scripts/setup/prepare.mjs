import { fingerprint, readStamps, writeStamps } from './fingerprint.mjs'
import { run } from './run.mjs'
import { requireRust } from './rust.mjs'
import { steps } from './steps.mjs'

/** The steps that need Rust. */
const BUILT = new Set(['engine alone', 'engine', 'addons'])

/**
 * Brings the checkout up to date: packages, engine, programs, addons. Steps whose inputs and outputs are unchanged are skipped, and so are
 * those that `later` names.
 */
export async function prepare(root, { isPrebuilt = false, isRustNeeded = false, later = [] } = {}) {
  const started = Date.now()
  if (isRustNeeded) requireRust(root)
  let ran = 0
  const now = steps.filter((step) => isRunNow(root, step, later) && !(isPrebuilt && BUILT.has(step.name)))
  for (const [at, step] of now.entries()) {
    const beside = bringUpToDateBeside(root, step.beside)
    if (await bringUpToDate(root, step, `[${at + 1}/${now.length}] ${step.title}`)) ran += 1
    await beside
  }
  if (ran > 0) console.log(`set up in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

/** Whether a step is not left for later. A part of another is, unless that one is left for later and not up to date. */
function isRunNow(root, { name, partOf }, later) {
  if (partOf === undefined) return !later.includes(name)
  const whole = steps.find(({ name }) => name === partOf)
  return later.includes(partOf) && !isUpToDate(root, whole).now
}

/** Starts a later step already now. If it fails, or if its inputs change meanwhile, it runs again at its place, and says so there. */
async function bringUpToDateBeside(root, name) {
  const step = steps.find((step) => step.name === name)
  if (step !== undefined) await bringUpToDate(root, step, step.title, { isBeside: true }).catch(() => undefined)
}

/** Brings one step up to date while something else runs, which it leaves the processor and the terminal to. Tells how it ended. */
export async function prepareBeside(root, name, signal) {
  const step = steps.find((step) => step.name === name)
  try {
    if (await bringUpToDate(root, step, step.title, { signal, isBeside: true })) console.log(`done: ${step.title}`)
  } catch (error) {
    if (!signal.aborted) console.error(`error: ${error.message}\nhint: ${error.hint ?? 'npm run build shows why'}`)
  }
}

/** Whether a step has nothing to do `now`, and the fingerprint of its inputs. */
function isUpToDate(root, step) {
  const needs = step.needs?.(root) ?? process.version
  const inputs = fingerprint(root, step.inputs(root), needs)
  const done = readStamps(root)[step.name]
  const isComplete = step.isComplete?.(root) ?? true
  const now = isComplete && done?.inputs === inputs && done.outputs === fingerprint(root, step.outputs(root))
  return { now, inputs }
}

async function bringUpToDate(root, step, label, how) {
  const { now, inputs } = isUpToDate(root, step)
  if (now) return false
  await run(label, step.run(root), root, how)
  // Read again: installing packages starts from an empty folder, and another step may have run beside this one. The inputs are those
  // from before, because one that has changed meanwhile may not have been read.
  writeStamps(root, { ...readStamps(root), [step.name]: { inputs, outputs: fingerprint(root, step.outputs(root)) } })
  return true
}
