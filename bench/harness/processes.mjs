// Times whole processes: wall-clock time, and CPU time (user and system) of all threads.
import { spawn, spawnSync } from 'node:child_process'
import { percentile } from './statistics.mjs'

/** The output of bash's `time`: wall-clock seconds, user seconds, system seconds. */
const TIMES = /^(\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/m

/**
 * Runs a program and returns its wall-clock and CPU time in milliseconds, with its output and what it said
 * on standard error. Needs bash.
 */
export function timeProcess(command, args, { input, env }) {
  const script = 'TIMEFORMAT=\'%3R %3U %3S\'; time "$0" "$@" 2>&3'
  const { status, output } = spawnSync('bash', ['-c', script, command, ...args], {
    input,
    env,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const [, stdout, stderr, said] = output
  const [, wall, user, system] = TIMES.exec(stderr) ?? []
  if (status !== 0 || wall === undefined) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return { wall: Number(wall) * 1000, cpu: (Number(user) + Number(system)) * 1000, stdout, said }
}

/** Keeps one core busy while the work is done. */
export function besideBusyCore(work) {
  const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  try {
    return work()
  } finally {
    busy.kill('SIGKILL')
  }
}

/** The 50th and the 99th percentile of each time. */
export function percentilesOf(runs) {
  const sorted = (name) => runs.map((run) => run[name]).sort((a, b) => a - b)
  const both = (name) => ({ p50: percentile(sorted(name), 0.5), p99: percentile(sorted(name), 0.99) })
  return { wall: both('wall'), cpu: both('cpu') }
}
