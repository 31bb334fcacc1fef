// One set in a process and a home of its own: what one set leaves in memory or in the user's store cannot change another.
import { mkdirSync } from 'node:fs'
import { evaluateSet } from './evaluate.mjs'
import { showProgress } from './progress.mjs'
import { readSet } from './sets/index.mjs'

const { name, data, ...options } = JSON.parse(process.argv[2])
// Whoever interrupts the evaluation ends all of it.
process.once('disconnect', () => process.exit(1))
mkdirSync(process.env.FORGE_HOME, { recursive: true })
const set = readSet(name, data)
const result = set === undefined ? undefined : await evaluateSet(set, { ...options, progress: showProgress })
process.send({ result }, () => process.exit(0))
