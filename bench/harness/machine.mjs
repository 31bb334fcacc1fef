// What the numbers were taken on. No host name and no path: results are published.
import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { fileURLToPath } from 'node:url'

/** How busy the machine was when the run started. */
const LOAD_BEFORE = loadavg()[0]

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

function output(program, args) {
  try {
    return execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

function commit() {
  const id = output('git', ['rev-parse', '--short=12', 'HEAD'])
  if (!id) return 'none'
  // What the benchmark itself writes does not make the measured code another one.
  const changed = output('git', ['status', '--porcelain', '--', '.', ':!bench/results.md'])
  return changed ? `${id} with changes` : id
}

export function describeMachine(args) {
  return {
    processor: cpus()[0].model.trim(),
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${process.arch}`,
    node: process.version,
    rust: output('rustc', ['--version'])?.replace(/ \(.*/, '') ?? 'unknown',
    commit: commit(),
    loadBefore: LOAD_BEFORE,
    loadAfter: loadavg()[0],
    date: new Date().toISOString().slice(0, 10),
    command: ['node bench/run.mjs', ...withoutPaths(args)].join(' '),
  }
}

function withoutPaths(args) {
  const kept = []
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--work') at++
    else if (!args[at].startsWith('--work=')) kept.push(args[at])
  }
  return kept
}
