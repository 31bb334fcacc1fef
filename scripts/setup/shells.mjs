import { spawnSync } from 'node:child_process'

/** Programs that tests use where they are: shells that complete, and readers of the manual page. */
const PROGRAMS = { zsh: 'zsh', fish: 'fish', mandoc: 'mandoc', groff: 'groff', man: 'man-db' }

const isThere = (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined

/** Installs the programs that are missing, where that is allowed; without them their tests are left out, and that is said. */
export function offerShells() {
  const missing = Object.keys(PROGRAMS).filter((name) => !isThere(name))
  if (missing.length === 0) return
  const canInstall = process.platform === 'linux' && process.getuid?.() === 0
  const packages = missing.map((name) => PROGRAMS[name])
  if (canInstall) {
    const args = ['install', '-y', '--no-install-recommends', ...packages]
    spawnSync('apt-get', args, {
      stdio: 'ignore',
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  }
  const left = missing.filter((name) => !isThere(name))
  if (left.length > 0)
    console.log(`without ${left.join(', ')}, their tests of completion and of the manual page are left out`)
}
