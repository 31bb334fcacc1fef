// Hyperlinks in terminals (OSC 8). Written here because the packages that detect them also decide about colours, which
// `page.ts` does.

import { pathToFileURL } from 'node:url'
import type { Variable } from '../../shared/declared-settings.js'
import type { Environment } from '../../shared/environment.js'
import { OSC, ST } from './terminal.js'

/** Terminals that show hyperlinks, by the variables they set, and the first version that does. */
const TERMINALS: [variable: Variable, value: RegExp | number][] = [
  ['TERM_PROGRAM', /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio|Tabby)$/],
  ['TERM', /^(xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour)/],
  ['VTE_VERSION', 5000],
  ['KONSOLE_VERSION', 200400],
  ['KITTY_WINDOW_ID', /./],
  ['WT_SESSION', /./],
  ['DOMTERM', /./],
]

/** True if to write hyperlinks: as FORCE_HYPERLINK says, else on a terminal that is known to show them. */
export function hasHyperlinks(isTerminal: boolean, env: Environment): boolean {
  if (env.FORCE_HYPERLINK !== undefined) return env.FORCE_HYPERLINK !== '0' && env.FORCE_HYPERLINK !== 'false'
  // Inside of a multiplexer the variables are those of the terminal around it.
  if (!isTerminal || env.TERM === 'dumb' || env.CI || env.TMUX || env.STY) return false
  return TERMINALS.some(([name, value]) => {
    const found = env[name]
    if (found === undefined) return false
    return typeof value === 'number' ? Number(found) >= value : value.test(found)
  })
}

/** Wraps a text in a hyperlink to a file, by its absolute path, or to an address. */
export function hyperlink(target: string, text: string): string {
  const url = /^https?:/.test(target) ? encodeURI(decodeURI(target)) : pathToFileURL(target).href
  return `${OSC}8;;${url}${ST}${text}${OSC}8;;${ST}`
}
