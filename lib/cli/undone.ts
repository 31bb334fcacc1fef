// What `undo` and `redo` do and say alike.
import { sharedRecords } from '../api/shared-memory.js'
import { type ProjectOptions, settleIndex } from '../native.js'
import { isStartedByAgent } from '../shared/speaker.js'
import { counted, oneLine } from '../text/printable.js'
import { type Done, idsIn, type takeBack } from '../undo/back.js'
import { lastCommand, type PastCommand, type Stack } from '../undo/log.js'
import type { Step } from '../undo/steps.js'
import type { Answer } from './command.js'
import { Failure } from './failure.js'
import { requirePerson } from './leave.js'
import { dateTime } from './page/moment.js'
import { short } from './page/named.js'
import type { Page } from './page/page.js'
import { flexible, table } from './page/table.js'

/** An import may have stored thousands. */
const SHOWN = 20

const VERBS: Record<Step['verb'], string> = {
  forget: 'forgotten',
  restore: 'stored again',
  edit: 'as before',
  keep: 'current again',
  retire: 'retired again',
  reject: 'rejected again',
  reopen: 'to decide again',
  withdraw: 'not counted as useful',
  here: 'given there again',
  elsewhere: 'not given there',
}

function summary(did: string, { name, at }: PastCommand, changes: Done[], page: Page, dryRun: boolean): string {
  const columns = ['ID', 'RESULT', flexible('TEXT')]
  const rows = changes.slice(0, SHOWN).map(({ did, now, text }) => [short(now), VERBS[did], oneLine(text)])
  const rest = changes.length - rows.length
  const end = [
    ...(rest > 0 ? [`and ${counted(rest, 'more memory', 'more memories')}`] : []),
    ...(dryRun ? ['', 'Nothing was written.'] : []),
  ]
  return [`${did} ${oneLine(name)} of ${dateTime(at)}:`, '', table(page, columns, rows), ...end].join('\n')
}

/** Which of the two it is: whose commands it turns, what it may need, and what it says. */
export interface Way {
  from: Stack
  needs: string
  says: [would: string, did: string]
  none: string
  hint: string
  turn: typeof takeBack
}

export async function turned(project: ProjectOptions, dryRun: boolean, way: Way): Promise<Answer> {
  if (isStartedByAgent()) requirePerson(way.needs, project)
  const last = lastCommand(project, way.from)
  if (last === undefined) throw new Failure('NOT_FOUND', way.none, { hint: way.hint })
  const { command } = last
  if (command.by !== 'script') requirePerson(way.needs, project)
  const shared = await sharedRecords(idsIn(command), project)
  const changes = shared.during(() => way.turn(last, project, dryRun))
  return {
    document: { dryRun, command: command.name, at: command.at, changes },
    text: (page) => summary(way.says[dryRun ? 0 : 1], command, changes, page, dryRun),
    afterwards: () => (dryRun ? undefined : settleIndex(project)),
  }
}
