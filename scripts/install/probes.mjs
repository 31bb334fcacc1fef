// What an installed package has to do: programs that use it as people's programs do.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const USE = `
captureMemory({ type: 'lesson', body: 'pnpm vitest --run for CI' })
const found = recall('vitest').hits.length
const graph = latticeIndex().then(({ filesIndexed }) => (filesIndexed > 0 ? 'indexed' : 'empty'), ({ code }) => code)
const stored = EmbeddedStore.open().count()
Promise.all([graph, stored]).then(([graph, stored]) => console.log(JSON.stringify({ found, graph, stored })))
`

/** Writes the programs into the folder of a project that has the package. */
export function writeProbes(folder) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'probe.cjs'),
    `const { captureMemory, EmbeddedStore, latticeIndex, recall } = require('forge-memory')\n${USE}`,
  )
  writeFileSync(
    join(folder, 'probe.mjs'),
    `import { captureMemory, EmbeddedStore, latticeIndex, recall } from 'forge-memory'\n${USE}`,
  )
}

const TYPED = `import { captureMemory, recall, latticeIndex, type CaptureOutcome, type RecallHit } from 'forge-memory'
import { createMcpServer } from 'forge-memory/mcp'
const outcome: CaptureOutcome = captureMemory({ type: 'lesson', body: 'typed' })
const hits: RecallHit[] = recall('typed').hits
export const made = [outcome.captured, hits.length, typeof latticeIndex, typeof createMcpServer]
`

/** How TypeScript resolves modules: the options that a project may have. */
export const RESOLUTIONS = {
  node16: { module: 'node16', moduleResolution: 'node16' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
}

/** Writes a TypeScript project for each way to resolve modules, and returns their files by name. */
export function writeTyped(folder) {
  writeFileSync(join(folder, 'typed.mts'), TYPED)
  return Object.entries(RESOLUTIONS).map(([name, options]) => {
    const compilerOptions = { ...options, strict: true, target: 'es2022', noEmit: true, types: ['node'] }
    const path = join(folder, `tsconfig.${name}.json`)
    writeFileSync(path, JSON.stringify({ compilerOptions, files: ['typed.mts'] }))
    return { name, path }
  })
}
