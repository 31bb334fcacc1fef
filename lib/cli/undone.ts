// What `undo` and `redo` say alike.
import { counted, oneLine } from '../text/printable.js'
import type { Done } from '../undo/back.js'
import type { PastCommand } from '../undo/log.js'
import type { Step } from '../undo/steps.js'
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

export function summary(did: string, { name, at }: PastCommand, changes: Done[], page: Page, dryRun: boolean): string {
  const columns = ['ID', 'RESULT', flexible('TEXT')]
  const rows = changes.slice(0, SHOWN).map(({ did, now, text }) => [short(now), VERBS[did], oneLine(text)])
  const rest = changes.length - rows.length
  const end = [
    ...(rest > 0 ? [`and ${counted(rest, 'more memory', 'more memories')}`] : []),
    ...(dryRun ? ['', 'Nothing was written.'] : []),
  ]
  return [`${did} ${oneLine(name)} of ${dateTime(at)}:`, '', table(page, columns, rows), ...end].join('\n')
}
