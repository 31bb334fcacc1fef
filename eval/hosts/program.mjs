// The program of this checkout, for agents that start `forge-memory` by name.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Writes it into a folder for the PATH, which is returned; `first` is what the shell does before. */
export function ownProgram(folder, first = '') {
  const own = join(folder, 'bin')
  mkdirSync(own, { recursive: true })
  const text = `#!/usr/bin/env bash\n${first}exec '${process.execPath}' '${PROGRAM}' "$@"\n`
  writeFileSync(join(own, 'forge-memory'), text, { mode: 0o755 })
  return own
}
