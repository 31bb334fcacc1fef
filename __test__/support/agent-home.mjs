// The home of a user whose agents have kept their sessions.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freshCommand } from './command.mjs'

/** Environment variables that relocate the sessions of agents. */
const FOLDER_VARIABLES = [
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'GEMINI_CLI_HOME',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
  'CURSOR_CONFIG_DIR',
  'COPILOT_HOME',
]

/** Makes this process, and what it starts, find the sessions of agents in a folder of the test until the test ends. */
export function useAgentHome(t, folder) {
  const wanted = {
    HOME: folder,
    USERPROFILE: folder,
    ...Object.fromEntries(FOLDER_VARIABLES.map((name) => [name, ''])),
  }
  const before = Object.fromEntries(Object.keys(wanted).map((name) => [name, process.env[name]]))
  const set = (values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  set(wanted)
  t.after(() => set(before))
  return (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A project, a home with sessions of agents, and the real command that runs in both. */
export function freshAgentHome(t) {
  const command = freshCommand(t)
  const user = join(command.folder, 'user')
  const elsewhere = Object.fromEntries(FOLDER_VARIABLES.map((name) => [name, '']))
  const env = { HOME: user, USERPROFILE: user, ...elsewhere }
  const write = (path, text) => {
    mkdirSync(dirname(join(user, path)), { recursive: true })
    writeFileSync(join(user, path), text)
  }
  const run = (args) => command.run(args, { env })
  return { command, user, env, write, run }
}
