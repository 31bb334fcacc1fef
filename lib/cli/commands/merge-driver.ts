import { execFileSync } from 'node:child_process'
import { closeSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { MergeOutcome } from '../../native.js'
import { messageOf } from '../../shared/problem.js'
import { openRegular } from '../../shared/regular-file.js'
import { counted, oneLine } from '../../text/printable.js'
import type { Answer, CommandEntry, Respond } from '../command.js'
import { Failure } from '../failure.js'

export const entry: CommandEntry = {
  group: 'share',
  summary: 'merge three versions of a memory file, for git',
  examples: [
    'forge-memory share merge-driver base.jsonl ours.jsonl theirs.jsonl',
    'forge-memory share merge-driver base.jsonl ours.jsonl theirs.jsonl -j',
  ],
}

export function configure(command: Command, respond: Respond): void {
  command
    .argument('<base>', 'the common ancestor (%O)')
    .argument('<ours>', 'our version, which becomes the merged one (%A)')
    .argument('<theirs>', 'their version (%B)')
    .action(
      respond(async (_project, base: string, ours: string, theirs: string): Promise<Answer> => {
        for (const path of [base, ours, theirs]) requireRegular(path)
        const merged = await mergeFiles(base, ours, theirs)
        if ('failure' in merged) return mergeUnion(base, ours, theirs, merged.failure)
        const { bytes, ...counts } = merged
        replaceFile(ours, bytes)
        return {
          document: counts,
          // git shows the output of a merge driver, and a successful merge needs none.
          text: () => '',
          warnings: counts.conflicts.map(
            ({ of, ids }) => `${oneLine(of)} was changed on both sides, ${counted(ids.length, 'revision')} kept`,
          ),
        }
      }),
    )
}

/** Refuses anything but the regular files that git creates, because reading a FIFO would hang. */
function requireRegular(path: string): void {
  const file = openRegular(path)
  if (file !== undefined) closeSync(file)
}

/** Loads the engine here, so that a missing engine falls back to the union merge instead of failing the import. */
async function mergeFiles(base: string, ours: string, theirs: string): Promise<MergeOutcome | { failure: unknown }> {
  try {
    const { mergeJournals } = await import('../../native.js')
    const [before, mine, other] = [base, ours, theirs].map((path) => readFileSync(path))
    return mergeJournals(before as Buffer, mine as Buffer, other as Buffer)
  } catch (failure) {
    return { failure }
  }
}

/** Union merge as fallback. When a driver fails, git would keep only our side; this keeps the lines of both sides. */
function mergeUnion(base: string, ours: string, theirs: string, failure: unknown): Answer {
  const why = messageOf(failure)
  try {
    execFileSync('git', ['merge-file', '-q', '--union', ours, base, theirs], { stdio: 'ignore' })
  } catch {
    appendMissing(ours, theirs)
    throw new Failure('IO', `the records could not be merged (${why}): the lines of both sides are in the file`, {
      hint: 'check the file, then git add it; forge-memory doctor lists the conflicts',
    })
  }
  const warning = `the records could not be merged (${oneLine(why)}): the lines of both sides are in the file`
  return { document: { united: true }, text: () => '', warnings: [warning] }
}

function appendMissing(ours: string, theirs: string): void {
  const [mine = '', other = ''] = [ours, theirs].map((path) => readFileSync(path, 'latin1'))
  const known = new Set(mine.split('\n'))
  const missing = other.split('\n').filter((line) => line !== '' && !known.has(line))
  if (missing.length === 0) return
  const text = `${mine.replace(/\n$/, '')}\n${missing.join('\n')}\n`
  replaceFile(ours, Buffer.from(text.replace(/^\n/, ''), 'latin1'))
}

/** Replaces the file atomically, because git reads it even after a failure. */
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
