import { execFileSync } from 'node:child_process'

/** The files that differ from a commit, in the index or the folder, and those that git does not know yet. What was renamed is there by both names. */
export function changedFiles(root, commit) {
  const git = (...args) => {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 }
    return execFileSync('git', args, options).split('\0').filter(Boolean)
  }
  try {
    git('rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`)
  } catch {
    throw Object.assign(new Error(`--changed: git knows no commit ${commit}`), { hint: 'git log --oneline lists some' })
  }
  const differing = git('diff', '--name-only', '--no-renames', '-z', commit, '--')
  return [...new Set([...differing, ...git('ls-files', '--others', '--exclude-standard', '-z')])].sort()
}
