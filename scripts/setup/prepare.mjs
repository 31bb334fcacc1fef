import { fingerprint, readStamps, writeStamps } from './fingerprint.mjs'
import { run } from './run.mjs'
import { requireRust } from './rust.mjs'
import { steps } from './steps.mjs'

/** Brings the checkout up to date: packages, engine, programs. Steps whose inputs and outputs are unchanged are skipped. */
export async function prepare(root, { isPrebuilt = false, isRustNeeded = false } = {}) {
  const started = Date.now()
  if (isRustNeeded) requireRust(root)
  let ran = 0
  for (const [at, step] of steps.entries()) {
    if (isPrebuilt && step.name === 'engine') continue
    if (await bringUpToDate(root, step, `[${at + 1}/${steps.length}] ${step.title}`)) ran += 1
  }
  if (ran > 0) console.log(`set up in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

async function bringUpToDate(root, step, label) {
  const needs = step.needs?.(root) ?? process.version
  const inputs = fingerprint(root, step.inputs(root), needs)
  const done = readStamps(root)[step.name]
  const isComplete = step.isComplete?.(root) ?? true
  if (isComplete && done?.inputs === inputs && done.outputs === fingerprint(root, step.outputs(root))) return false
  await run(label, step.run(root), root)
  // Read again: installing packages starts from an empty folder, and building may have written an input of the next step.
  writeStamps(root, {
    ...readStamps(root),
    [step.name]: {
      inputs: fingerprint(root, step.inputs(root), needs),
      outputs: fingerprint(root, step.outputs(root)),
    },
  })
  return true
}
