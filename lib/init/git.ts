import { execFileSync } from 'node:child_process'
import { attempt } from '../shared/problem.js'

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** Runs git with the settings disabled by which a checkout could start programs. */
export function git(project: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd: project,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

/** The same; undefined when git says no or is missing, and where this is no checkout. */
export function gitAnswer(project: string, ...args: string[]): string | undefined {
  return attempt(() => git(project, ...args))
}
