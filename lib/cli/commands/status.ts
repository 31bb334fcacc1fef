import type { Command } from 'commander'
import { openBrainStatus } from '../../api/shared-memory.js'
import { memoryStatus, type ProjectStatus } from '../../native.js'
import { bytes } from '../../text/amount.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import { bar } from '../page/bar.js'
import { olderTool } from '../page/older-tool.js'
import type { Page } from '../page/page.js'
import { sharedMemory } from '../page/shared-memory.js'
import { pairs, table } from '../page/table.js'

export function configure(command: Command, respond: Respond): void {
  command.action(
    respond(async (project): Promise<Answer> => {
      const status = memoryStatus(project)
      const openbrain = await openBrainStatus(project)
      const warnings = [
        ...(status.configProblem ? [`${status.configPath}: ${status.configProblem}`] : []),
        ...(status.unmigrated.length > 0 ? [olderTool(status.unmigrated)] : []),
      ]
      return {
        document: { ...status, openbrain },
        text: (page) => `${text(status, page)}\n\n${sharedMemory(openbrain, page)}`,
        warnings,
      }
    }),
  )
}

function text(status: ProjectStatus, page: Page): string {
  const where = pairs(page, [
    ['project', `${oneLine(status.projectName)}  ${page.paint('dim', oneLine(status.projectDir))}`],
    ...formerly(status),
    ['home', oneLine(status.home)],
    ['config', oneLine(status.configPath)],
    ['durability', status.durability],
    ['secrets', status.redact ? 'removed before anything is stored' : 'stored unredacted ("redact": false)'],
    ['index', indexState(status)],
  ])
  return `${where}\n\n${counts(status, page)}`
}

/** Records under these names are the project's as well. */
function formerly({ formerNames }: ProjectStatus): [string, string][] {
  return formerNames.length === 0 ? [] : [['also called', formerNames.map(oneLine).join(', ')]]
}

function indexState({ indexedBytes, journalBytes, indexBytes }: ProjectStatus): string {
  if (journalBytes === 0) return 'nothing to index'
  const share = Math.floor((Math.min(indexedBytes, journalBytes) / journalBytes) * 100)
  return `covers ${share} % of ${bytes(journalBytes)}, ${indexBytes === 0 ? 'not written to a file yet' : `takes ${bytes(indexBytes)}`}`
}

function counts(status: ProjectStatus, page: Page): string {
  const stored: [string, number][] = [
    ['memories', status.memories],
    ['patterns', status.patterns],
    ['global patterns', status.globalPatterns],
    ['waiting for the shared store', status.queued],
    ['dead letters', status.deadLetters],
  ]
  const largest = Math.max(...stored.map(([, count]) => count))
  const rows = stored.map(([name, count]) => [name, String(count), page.paint('cyan', bar(page, count, largest))])
  return table(page, [{ title: 'STORED' }, { title: 'COUNT', align: 'right' }, { title: '' }], rows)
}
