// Migrates and compacts a memory over and over while others write to it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compactMemory, migrateMemory } from '../../../index.js'
import { serve } from './child.mjs'

await serve(({ project, rounds }) => {
  const options = { projectDir: project }
  const log = join(project, '.forge', 'memory-captures.jsonl')
  let migrated = 0
  for (let round = 0; round < rounds; round += 1) {
    // An older tool appends without a lock and without a version.
    writeFileSync(log, `{"content":"older ${round} x${round}y","type":"convention"}\n`, { flag: 'a' })
    migrated += migrateMemory(options).changed
    compactMemory(options)
  }
  return { migrated }
})
