import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { mergeJournals } from '../../index.js'
import type { Answer, Respond } from '../answer.js'
import { counted } from '../page/amount.js'
import { oneLine } from '../page/printable.js'

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<base>', 'what both sides come from (%O)')
    .argument('<ours>', 'our version, which becomes the merged one (%A)')
    .argument('<theirs>', 'their version (%B)')
    .action(
      respond((_project, base: string, ours: string, theirs: string): Answer => {
        const [before, mine, other] = [base, ours, theirs].map((path) => readFileSync(path))
        const { bytes, ...counts } = mergeJournals(before as Buffer, mine as Buffer, other as Buffer)
        replaceFile(ours, bytes)
        return {
          document: counts,
          // git shows what a driver prints; a merge that went well needs no words.
          text: () => '',
          warnings: counts.conflicts.map(
            ({ of, ids }) => `${oneLine(of)} was changed on both sides, ${counted(ids.length, 'revision')} kept`,
          ),
        }
      }),
    )
}

/** git reads the file after a failure as well: it is the old one or the new one. */
function replaceFile(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, bytes, { mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
