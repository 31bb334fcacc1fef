import type { Command } from 'commander'
import { type NoteStats, noteStats } from '../../native.js'
import { counted, oneLine } from '../../text/printable.js'
import { type Answer, addNote, type CommandEntry, type Respond } from '../command.js'
import type { Page } from '../page/page.js'
import { type Column, right, table } from '../page/table.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'show which notes agents got, and whether they used them',
  examples: ['forge-memory agent stats', 'forge-memory agent stats -j'],
  isList: true,
}

const NOTE =
  'A note counts as used when the agent touched a file that it names, ran a command that it names, or cited its id ' +
  "afterwards, in the same session. The counts are kept in the user's own folder, on this machine."

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE).action(
    respond((project): Answer => {
      const stats = noteStats(project)
      return { document: stats, text: (page) => text(stats, page) }
    }),
  )
}

function text(stats: NoteStats, page: Page): string {
  if (stats.injected === 0) return 'Hooks have injected no note here yet.'
  const parts = [
    table(
      page,
      columns('HOOK'),
      stats.byHook.map(({ hook, ...count }) => row(hook, count)),
    ),
    table(
      page,
      columns('WEEK'),
      stats.byWeek.map(({ week, ...count }) => row(week, count)),
    ),
    `${counted(stats.injected, 'note')} injected in ${counted(stats.tokens, 'token')}, ${stats.used} used; a hook that injected a note took ${stats.msP50} ms, 99 of 100 at most ${stats.msP99} ms.`,
  ]
  if (stats.faults > 0) parts.push(`${counted(stats.faults, 'hook call')} failed: forge-memory doctor says why.`)
  return parts.join('\n\n')
}

function columns(title: string): (Column | string)[] {
  return [title, right('INJECTED'), right('USED'), right('WASTED'), right('TOKENS')]
}

function row(
  name: string,
  { injected, used, wasted, tokens }: Pick<NoteStats, 'injected' | 'used' | 'wasted' | 'tokens'>,
): string[] {
  return [oneLine(name), String(injected), String(used), String(wasted), String(tokens)]
}
