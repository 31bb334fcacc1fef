// Real shells on a real terminal: somebody types and presses Tab.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './waiting.mjs'

const PROMPT = 'READY> '
/** Control-X Control-L: bound to writing the line into a file. */
const ASK = '\u0018\u000c'

/** What each shell reads at its start: the completion, a prompt to wait for, and a key that tells what the line is. */
const SHELLS = {
  bash: {
    file: '.bashrc',
    start: (folder) => ['bash', '--noprofile', '--rcfile', join(folder, '.bashrc'), '-i'],
    settings: (out) => `PS1='${PROMPT}'
source <(forge-memory completion bash)
__tell() { printf '%s' "$READLINE_LINE" > '${out}'; }
bind -x '"\\C-x\\C-l": __tell'
bind 'set show-all-if-ambiguous on'
`,
  },
  zsh: {
    file: '.zshrc',
    start: () => ['zsh', '-d', '-i'],
    settings: (out) => `PS1='${PROMPT}'
autoload -Uz compinit && compinit -u -D
source <(forge-memory completion zsh)
__tell() { printf '%s' "$BUFFER" > '${out}' }
zle -N __tell
bindkey '^X^L' __tell
`,
  },
  fish: {
    file: 'fish/config.fish',
    start: () => ['fish', '-i'],
    settings: (out) => `function fish_prompt; printf '${PROMPT}'; end
set -g fish_greeting
forge-memory completion fish | source
bind \\cx\\cl "commandline | tr -d '\\n' > '${out}'"
`,
  },
}

/** Types a line and Tab into a shell, and returns the line that stands there then. */
export async function completeIn(shell, line, { cwd, env, folder }) {
  const home = mkdtempSync(join(folder, `${shell}-`))
  const { file, start, settings } = SHELLS[shell]
  const out = join(home, 'line')
  mkdirSync(join(home, 'fish'))
  writeFileSync(join(home, file), settings(out))
  const own = {
    HOME: home,
    ZDOTDIR: home,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    TERM: 'xterm',
    COLUMNS: undefined,
  }
  const words = start(home).map((word) => `'${word}'`)
  const child = spawn('script', ['-qec', `stty cols 120 rows 40; exec ${words.join(' ')}`, '/dev/null'], {
    cwd,
    env: { ...env, ...own },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    await until(
      () => screen.includes(PROMPT),
      () => `the prompt of ${shell}:\n${screen}`,
    )
    child.stdin.write(`${line}\t${ASK}`)
    // The file is opened before the line is in it.
    return await until(
      () => existsSync(out) && readFileSync(out, 'utf8'),
      () => `the line of ${shell}:\n${JSON.stringify(screen)}`,
    )
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
