import { keepGitPast } from '../native.js'
import { runGit } from './git.js'

/** The maximum number of commits that are searched. */
const COMMITS_MAX = 20_000
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
 * Asks git which files of a project were renamed or removed, and stores the result, so that recall can report it for a
 * missing path. Long-lived processes do this in the background, because recall itself never runs git. Stores nothing
 * when git is missing or the folder has no memory. `ending` aborts it. Never rejects.
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
