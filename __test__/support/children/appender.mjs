// Appends to a file as programs do that know of no lock: one write for a whole line.
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { serve } from './child.mjs'

await serve(({ path, count, bytes, prefix }) => {
  mkdirSync(dirname(path), { recursive: true })
  for (let number = 0; number < count; number++) {
    const line = {
      id: `mem_1763632000000_${prefix}${number}`,
      timestamp: '2026-11-20T10:00:00.000Z',
      pattern: `foreign ${prefix} lesson ${number} ${'y'.repeat((number * 53) % bytes)}`,
      category: 'architecture',
      confidence: 0.7,
    }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  }
  return { appended: count }
})
