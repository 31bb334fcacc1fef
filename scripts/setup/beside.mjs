import { spawn } from 'node:child_process'
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs commands beside each other. The first one has the terminal; what each other one prints follows, whole, when those before it are over.
 * Resolves with `{ name, failed, seconds }` of each, in the given order.
 */
export async function runBeside(commands, options) {
  const folder = mkdtempSync(join(tmpdir(), 'beside-'))
  try {
    const running = commands.map((command, at) => {
      const path = at === 0 ? undefined : join(folder, String(at))
      return { path, ended: run(command, path, options) }
    })
    const results = []
    for (const { path, ended } of running) {
      const result = await ended
      if (path !== undefined) await print(path)
      results.push(result)
    }
    return results
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run({ name, command, args }, path, options) {
  const started = Date.now()
  const output = path === undefined ? 'inherit' : openSync(path, 'w')
  const child = spawn(command, args, { ...options, stdio: ['ignore', output, output] })
  if (path !== undefined) closeSync(output)
  return new Promise((resolve) => {
    const end = (failed) => resolve({ name, failed, seconds: Math.round((Date.now() - started) / 1000) })
    child.once('error', () => end(true))
    child.once('close', (status) => end(status !== 0))
  })
}

function print(path) {
  return new Promise((resolve, reject) => {
    const reader = createReadStream(path).once('error', reject).once('close', resolve)
    reader.pipe(process.stdout, { end: false })
  })
}
