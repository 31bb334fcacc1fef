import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** How an agent starts this package. */
export interface Launch {
  command: string
  args: string[]
}

const PROGRAM = 'node_modules/forge-memory/dist/cli/main.js'

/** For servers, which are started once a session: npx finds the project's own copy, or fetches one. */
export function serverLaunch(): Launch {
  const args = ['-y', 'forge-memory', 'mcp']
  return process.platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...args] } : { command: 'npx', args }
}

/**
 * For hooks, which are started on every prompt: npx alone would take several times their whole budget. The project's own
 * copy is started directly, else an installed command; npx is the last resort. `root` is how the agent names the project.
 */
export function hookCommand(event: string, project: string, root: string): string {
  if (existsSync(join(project, PROGRAM))) return `node "${root}${PROGRAM}" hook ${event}`
  return `${isInstalled('forge-memory') ? 'forge-memory' : 'npx -y forge-memory'} hook ${event}`
}

function isInstalled(name: string): boolean {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : ['']
  return (process.env.PATH ?? '').split(delimiter).some((folder) =>
    endings.some((ending) => {
      try {
        accessSync(join(folder, name + ending), constants.X_OK)
        return folder !== '' && !folder.includes('node_modules')
      } catch {
        return false
      }
    }),
  )
}
