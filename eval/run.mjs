#!/usr/bin/env node
// How well search finds things, against what is usual, on sets with known answers. See README.md.
import { fork } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeMachine } from '../bench/harness/machine.mjs'
import { changedByModel, parseCommand, USAGE } from './command.mjs'
import { compareRuns, differencesPage } from './compare.mjs'
import { raisedGates, readGates, worseWays, writeGates } from './gates.mjs'
import { mergeResults, readResults, writeResults } from './results.mjs'
import { failuresOf, pageOf } from './table.mjs'

function readCommand() {
  try {
    return parseCommand(process.argv.slice(2))
  } catch (problem) {
    process.stderr.write(`error: ${problem.message}\n\n${USAGE}`)
    process.exit(2)
  }
}

/** Each set has a process and a home of its own. */
async function evaluateApart(name, options) {
  const work = join(options.work, options.place ?? '', name)
  mkdirSync(work, { recursive: true })
  const { data, wanted, model } = options
  const withHeld = options['held-details']
  const order = {
    name,
    data,
    wanted,
    model,
    work,
    withQuestions: options.json || options.failures || options.other !== undefined,
    withHeld,
  }
  const child = fork(fileURLToPath(new URL('one-set.mjs', import.meta.url)), [JSON.stringify(order)], {
    env: { ...process.env, FORGE_HOME: join(work, 'home') },
  })
  const answer = new Promise((resolve) => child.once('message', resolve))
  const ended = new Promise((resolve) => child.once('exit', (status) => resolve({ status })))
  const { result, status } = await Promise.race([answer, ended])
  if (status !== undefined) throw new Error(`the set ${name} could not be measured: exit status ${status}`)
  if (result === undefined) process.stderr.write(`${name}: not in the folder of sets, left out\n`)
  return result
}

const options = readCommand()
if (options.help) {
  process.stdout.write(USAGE)
} else if (options.compare) {
  const [before, after] = options.files.map((file) => JSON.parse(readFileSync(file, 'utf8')))
  const differences = compareRuns(before, after)
  process.stdout.write(options.json ? `${JSON.stringify(differences, null, 2)}\n` : differencesPage(differences))
} else {
  await measure()
}

async function measure() {
  if (options.model === undefined) process.stderr.write('no model: only words are measured\n')
  const results = await measureAll(options)
  if (options['write-docs']) writeResults(mergeResults(readResults(), results))
  if (options['raise-gates']) writeGates(raisedGates(results, readGates()))
  for (const line of worseWays(results)) {
    process.exitCode = 1
    process.stderr.write(`gate: ${line}\n`)
  }
  const document = { ...machine(), results }
  const compared = options.other === undefined ? undefined : await compareModels(document)
  if (options.json) process.stdout.write(`${JSON.stringify(compared ?? document, null, 2)}\n`)
  else process.stdout.write(options.failures ? failuresOf(results) : pageOf(results))
  if (compared !== undefined && !options.json) {
    const names = [options.model, options.other].map((folder) => basename(folder))
    process.stdout.write(`\n# ${names[1]}\n\n${pageOf(compared.other.results)}`)
    process.stdout.write(`\n# From ${names[0]} to ${names[1]}\n\n${differencesPage(compared.differences)}`)
  }
}

function machine() {
  const { commit, date, node, processor, system } = describeMachine([])
  return { commit, date, node, processor, system }
}

/** Measures the other model in what a model can change, apart from the first. */
async function compareModels(document) {
  const { other: model, wanted } = options
  const results = await measureAll({ ...options, model, wanted: changedByModel(wanted), place: basename(model) })
  const other = { ...machine(), results }
  return { ...document, other, differences: compareRuns(document, other) }
}

async function measureAll(options) {
  const results = []
  for (const name of options.sets) {
    try {
      const result = await evaluateApart(name, options)
      if (result !== undefined && result.rows.length > 0) results.push(result)
    } catch (problem) {
      // One set that fails must not cost the others their results, which took minutes; the exit status tells.
      process.exitCode = 1
      process.stderr.write(`error: ${problem.message}\n`)
    }
  }
  return results
}
