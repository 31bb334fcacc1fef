// Long lists go through the pager of the user, as in git: `$PAGER`, else `less`, with `LESS=FRX` unless LESS is set (quit when all
// fits, keep colours, leave the text on the screen).
import { DEFAULTS } from '../../shared/declared-settings.js'
import type { Environment } from '../../shared/environment.js'
import { isTerminal } from './terminal.js'

/** The exit code of a shell when there is no such program. */
const NOT_FOUND = 127

/** Shows a text in the pager. False when it fits the screen, or there is no pager: the text was not shown then. */
export function showInPager(text: string, env: Environment = process.env): boolean {
  if (!isTerminal(0) || !isTerminal(1) || env.TERM === 'dumb') return false
  const rows = process.stdout.rows || Number.POSITIVE_INFINITY
  const pager = pagerOf(env)
  if (pager === undefined || text.split('\n').length < rows) return false
  // The pager handles Control-C; this process has to outlive it, or both would read the terminal.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  // Every command is bundled with this file, and few of them print a long list.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  try {
    const shown = spawnSync(pager, {
      shell: true,
      input: text,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...env, LESS: env.LESS ?? DEFAULTS.LESS },
    })
    return shown.status !== null && shown.status !== NOT_FOUND
  } finally {
    process.off('SIGINT', ignore)
  }
}

/** Returns the command line of the pager; undefined when the user wants none. Windows has none of its own that keeps colours. */
function pagerOf(env: Environment): string | undefined {
  const pager = env.PAGER?.trim() ?? (process.platform === 'win32' ? '' : 'less')
  return pager === '' || pager === 'cat' ? undefined : pager
}
