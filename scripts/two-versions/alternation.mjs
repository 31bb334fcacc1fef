// Counts what two versions rewrite of their derived files while they take turns, each time as a process of its own, as hooks are.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TURN = fileURLToPath(new URL('turn.mjs', import.meta.url))
const TURNS = 20

/** The largest part of every index, which a single capture has no reason to write again. */
function largestParts(place) {
  const index = join(place.project, '.forge', 'index')
  if (!existsSync(index)) return []
  return readdirSync(index, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith('memory-captures'))
    .map(({ name }) => {
      const files = readdirSync(join(index, name)).filter((file) => file.endsWith('.seg'))
      const sized = files.map((file) => ({ file, ...sizeOf(join(index, name, file)) }))
      const [largest] = sized.sort((a, b) => b.size - a.size)
      return `${name}/${largest?.file}/${largest?.ino}`
    })
}

function sizeOf(path) {
  const { size, ino } = statSync(path)
  return { size, ino }
}

function take({ library, name }, place, environment, turn) {
  const { status, stderr } = spawnSync(process.execPath, [TURN, library, place.project, `${name}turn${turn}`], {
    env: environment,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`a turn of the ${name} version failed: ${stderr}`)
}

export function countRewrites({ versions, place, environment }) {
  for (const version of versions) take(version, place, environment, 'first')
  let before = largestParts(place)
  let rewrites = 0
  for (let turn = 0; turn < TURNS; turn++) {
    take(versions[turn % versions.length], place, environment, turn)
    const after = largestParts(place)
    rewrites += before.filter((part) => !after.includes(part)).length
    before = after
  }
  return [
    {
      what: 'indexes that were made anew',
      count: rewrites,
      must: 0,
      note: `${TURNS} captures in turns, ${before.length} indexes`,
    },
  ]
}
