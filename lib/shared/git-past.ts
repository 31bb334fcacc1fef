import { execFile } from 'node:child_process'
import { keepGitPast } from '../native.js'

/** Older commits are not asked for. */
const COMMITS_MAX = 20_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const PATIENCE_MS = 30_000

/** Settings by which a repository would start a program of its choice, or change what is printed. */
const PLAIN = ['core.fsmonitor=false', 'core.quotepath=false', 'log.showSignature=false', 'log.mailmap=false']
const REMOVED = [
  '--name-status',
  '-z',
  '--no-ext-diff',
  '--no-textconv',
  '--relative',
  '-M',
  '--diff-filter=DR',
  '--format=',
]

/**
 * Asks git which files of a project were renamed or removed, and keeps the answer, so that recall can tell it of a path that is
 * not there any more. For processes that live long, beside their work: recall itself never starts git. Without git, and in a
 * folder without a memory, nothing is kept. `ending` stops it. Never rejects.
 */
export async function keepPastOf(projectDir: string, ending?: AbortSignal): Promise<boolean> {
  const git = (...args: string[]) => runGit(projectDir, args, ending)
  try {
    const [log, count, shallow] = await Promise.all([
      git('log', ...REMOVED, `--max-count=${COMMITS_MAX}`),
      git('rev-list', '--count', `--max-count=${COMMITS_MAX}`, 'HEAD'),
      git('rev-parse', '--is-shallow-repository'),
    ])
    const isWhole = Number(count.toString()) < COMMITS_MAX && shallow.toString().trim() === 'false'
    return keepGitPast(log, isWhole, { projectDir })
  } catch {
    return false
  }
}

function runGit(folder: string, args: string[], signal?: AbortSignal): Promise<Buffer> {
  const settings = PLAIN.flatMap((setting) => ['-c', setting])
  const options = {
    cwd: folder,
    encoding: 'buffer' as const,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: PATIENCE_MS,
    windowsHide: true,
    ...(signal === undefined ? {} : { signal }),
  }
  return new Promise((resolve, reject) => {
    execFile('git', [...settings, ...args], options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}
