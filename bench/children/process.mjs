// What every child process does: read its one JSON argument, load the package, print its report.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const input = JSON.parse(process.argv[2])

/** Loads the native half of the package, as its main entry does. */
export function loadAddon() {
  return require('../../index.js')
}

export function report(value) {
  process.stdout.write(JSON.stringify(value))
}

/** What a capture call is given for a generated lesson. */
export function captureOf(lesson) {
  return { tool: 'forge_bench', source: 'forge_bench/run', type: lesson.type, body: lesson.content }
}
