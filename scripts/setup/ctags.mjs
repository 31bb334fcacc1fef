import { spawnSync } from 'node:child_process'

/** Tells whether the ctags on the path is Universal Ctags: other programs of that name print no JSON. */
function hasCtags() {
  return /Universal Ctags/.test(spawnSync('ctags', ['--version'], { encoding: 'utf8' }).stdout ?? '')
}

const INSTALLERS = [
  ['apt-get', ['install', '-y', '--no-install-recommends', 'universal-ctags']],
  ['brew', ['install', 'universal-ctags']],
  ['winget', ['install', '--id', 'UniversalCtags.Ctags', '--silent', '--accept-source-agreements']],
]

/** Installs Universal Ctags, which the ranges of the code graph are checked against, unless it is there. */
export function requireCtags() {
  if (hasCtags()) return
  for (const [command, args] of INSTALLERS) {
    if (spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0 && hasCtags()) return
  }
  const error = new Error('Universal Ctags is needed to check the code graph, but it was not found')
  error.hint =
    'install it: apt-get install universal-ctags, brew install universal-ctags, or winget install UniversalCtags.Ctags'
  throw error
}
