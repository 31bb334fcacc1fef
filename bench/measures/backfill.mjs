// backfill: a first run over generated sessions, whole process. The time for 3 GB is extrapolated; with --deep, 3 GB are written and read.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeTranscripts } from '../data/transcripts.mjs'
import { CLI } from '../harness/bench.mjs'
import { makeRow } from '../harness/row.mjs'

const BYTES = 3 * 1000 ** 3
const SMALL_BYTES = 300 * 1000 ** 2
const SECONDS_MAX = 60
const MEMORY_MAX_MIB = 200

/** Runs a dry run and returns its duration and its peak memory. */
function dryRun(bench, home, project) {
  const tell = `process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)));`
  const code = `${tell}process.argv.splice(1, 0, ${JSON.stringify(CLI)}); require(${JSON.stringify(CLI)})`
  const env = { ...bench.children.environment, HOME: home, USERPROFILE: home, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' }
  const options = { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 }
  const started = performance.now()
  const args = ['-e', code, '--', 'backfill', '--dry-run', '--json', '--project', project]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  if (status !== 0) throw new Error(`backfill ended with ${status}: ${stderr}`)
  return { seconds: (performance.now() - started) / 1000, mebibytes: Number(stderr) / 1024, report: JSON.parse(stdout) }
}

export function measure(bench) {
  if (!existsSync(CLI)) return bench.skip('backfill', 'the command line is not built')
  const project = bench.newProject('backfill')
  const home = join(project, 'home')
  mkdirSync(home)
  const bytes = writeTranscripts(home, project, bench.options.deep ? BYTES : SMALL_BYTES)
  const runs = []
  bench.eachRound('backfill', () => runs.push(dryRun(bench, home, project)))
  const best = Math.min(...runs.map(({ seconds }) => seconds))
  const note = `${(bytes / 1e6 / best).toFixed(0)} MB/s, ${runs[0].report.read} files`
  return [
    makeRow({
      measure: 'backfill',
      what: 'first run over 3 GB of sessions, whole process',
      size: bytes,
      unit: 's',
      ours: best * (BYTES / bytes),
      target: { atMost: SECONDS_MAX },
      note: bench.options.deep ? note : `${note}; from ${(bytes / 1e6).toFixed(0)} MB`,
    }),
    makeRow({
      measure: 'backfill',
      what: 'most memory of a first run',
      size: bytes,
      unit: 'MiB',
      ours: Math.max(...runs.map(({ mebibytes }) => mebibytes)),
      target: { atMost: MEMORY_MAX_MIB },
    }),
  ]
}
