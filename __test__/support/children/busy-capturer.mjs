// Captures texts that are like no other until the time is over, and tells the ids.
import { createRequire } from 'node:module'
import { rest } from '../waiting.mjs'
import { serve } from './child.mjs'

const { captureMemory } = createRequire(import.meta.url)('../../../index.js')

const word = (number) => `x${[...String(number)].map((digit) => 'bcdfghjklm'[digit]).join('')}q`

await serve(async ({ project, seed, milliseconds, pauseMs }) => {
  const ids = []
  const end = Date.now() + milliseconds
  for (let at = 0; Date.now() < end; at += 1) {
    const number = seed * 1_000_000 + at
    const body = ['a', 'b', 'c', 'd', 'f', 'g'].map((letter) => `${word(number)}${letter}w`).join(' ')
    const { id, captured, tiers } = captureMemory({ type: 'lesson', body, tool: 'soak' }, { projectDir: project })
    if (!captured || !tiers.openbrain.ok) throw new Error(`not captured: ${JSON.stringify(tiers)}`)
    ids.push(id)
    await rest(pauseMs)
  }
  return ids
})
