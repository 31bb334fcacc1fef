import { type Command, Option } from 'commander'
import type { Server } from '../../server/index.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { given, number } from '../options.js'
import type { Page } from '../page/page.js'
import { pairs } from '../page/table.js'
import { isTerminal } from '../page/terminal.js'

export const entry: CommandEntry = {
  group: 'daily',
  summary: 'serve the dashboard, live events and HTTP, and open the page',
  examples: ['forge-memory dashboard', 'forge-memory dashboard --no-open --port 4000 --no-drain'],
}

interface ServeFlags {
  port?: number
  host?: string
  open?: boolean
  watch: boolean
  drain: boolean
}

export function configure(command: Command, respond: Respond): void {
  command
    .option('--port <number>', 'the first port to try; the next nine when it is taken (default: 3100)', number)
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .addOption(new Option('--open', 'open the page without a terminal as well').hideHelp())
    .option('--no-open', 'do not open the page in the browser')
    .addOption(new Option('--no-watch', 'do not watch files: no captures by rules, no fresh code graph'))
    .addOption(new Option('--no-drain', 'do not deliver the queue to the shared store'))
    .action(
      respond(async (project, { port, host, open = isTerminal(1), watch, drain }: ServeFlags): Promise<Answer> => {
        const { serve } = await import('../../server/index.js')
        const server = await serve({ ...project, ...given({ port, host }), watch, drain })
        endWith(server)
        if (open) await openBrowser(server.url)
        const { url, urls, origin, projectDir } = server
        return {
          document: { url, urls, origin, host: server.host, port: server.port, pid: process.pid, projectDir },
          text: (page) => text(server, page),
        }
      }),
    )
}

async function openBrowser(url: string): Promise<void> {
  const { default: open } = await import('open')
  try {
    await open(url)
  } catch {
    // The address is printed as well.
    return
  }
}

/** Shuts down gracefully on a signal; exits at once on a second signal, or after ten seconds. */
function endWith(server: Server): void {
  let isEnding = false
  const end = (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(signal === 'SIGINT' ? 130 : 143)
    isEnding = true
    setTimeout(() => process.exit(1), 10_000).unref()
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
}

function text({ url, urls, projectDir, host }: Server, page: Page): string {
  const lines = [
    `${page.paint('strong', 'The memory is served at')} ${page.paint('accent', url)}`,
    // An address must not be wrapped, or it could not be opened from the terminal.
    ...urls.slice(1).map((other) => `${page.paint('quiet', 'also at')} ${page.paint('accent', other)}`),
    pairs(page, [['project', oneLine(projectDir)]]),
    'Open that address to capture, search and look around; the part after # is the access token. Ctrl+C stops the server.',
  ]
  const isOpen = !['127.0.0.1', 'localhost', '::1'].includes(host)
  if (isOpen)
    lines.push(
      `${page.paint('warning', 'note:')} other machines can reach it; anyone who has the address can read and write`,
    )
  return lines.join('\n')
}
