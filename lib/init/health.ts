// The checks of `doctor` about git: whether records merge, and whether the memory is committed.
import { accessSync, constants } from 'node:fs'
import type { Finding } from '../native.js'
import { readDriver, understandDriver } from './driver.js'
import { gitAnswer } from './git.js'
import { isInstalled } from './launch.js'

/** A file that is committed in every shared memory. */
const JOURNAL = '.forge/memory-captures.jsonl'
const SET_UP = 'forge-memory init sets the merge driver of this checkout'

/** Diagnoses the effects of git on a project's memory; no findings outside of a checkout. */
export function diagnoseSetup(project: string): Finding[] {
  return [...missingDriver(project), ...findHiddenMemory(project)]
}

function missingDriver(project: string): Finding[] {
  const isWanted = gitAnswer(project, 'check-attr', 'merge', '--', JOURNAL)?.trimEnd().endsWith(': merge: forge-memory')
  if (!isWanted) return []
  const fault = faultOf(readDriver(project, '--includes')?.driver)
  return fault === undefined ? [] : [{ code: 'MERGE_DRIVER', subject: '.gitattributes', ...fault, hint: SET_UP }]
}

function faultOf(line: string | undefined): Pick<Finding, 'severity' | 'message'> | undefined {
  if (line === undefined) {
    const message =
      'asks for merge=forge-memory, but this checkout has no such driver: git would leave conflict markers'
    return { severity: 'warning', message }
  }
  const { words, isOurs, keepsBoth } = understandDriver(line)
  if (words[0] === 'npx') {
    const message =
      'asks for merge=forge-memory, and the driver of this checkout runs whatever npx finds under that name'
    return { severity: 'problem', message }
  }
  const missing = words.length === 0 ? line : missingFile(words)
  if (missing !== undefined) {
    const then = keepsBoth
      ? 'git makes a union of lines instead'
      : 'a merge would keep one side and drop the records of the other'
    const message = `asks for merge=forge-memory, and the driver of this checkout cannot run (${missing}): ${then}`
    return { severity: keepsBoth ? 'warning' : 'problem', message }
  }
  if (!isOurs || keepsBoth) return undefined
  const message = 'asks for merge=forge-memory, but the driver of this checkout keeps only one side when it fails'
  return { severity: 'warning', message }
}

/** Returns the file of a command line that does not exist. */
function missingFile([program = '', script]: string[]): string | undefined {
  const files = script?.endsWith('.js') ? [program, script] : [program]
  return files.find((file) => !(/[\\/]/.test(file) ? canRead(file) : isInstalled(file)))
}

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function findHiddenMemory(project: string): Finding[] {
  // Without the index: for a file that is already committed, git would not report the rule that hides new ones.
  const [rule = ''] = gitAnswer(project, 'check-ignore', '--no-index', '-v', '--', JOURNAL)?.split('\t') ?? []
  const [, source = '', line = '', pattern = ''] = /^(.*):(\d+):(.*)$/.exec(rule) ?? []
  if (pattern === '' || pattern.startsWith('!')) return []
  return [
    {
      severity: 'warning',
      code: 'MEMORY_IGNORED',
      subject: source,
      message: `line ${line} (${pattern}) hides the memory from git: what is captured stays on this machine`,
      hint: 'remove that line if the memory is to be committed; .forge/.gitignore hides what is not meant for it',
    },
  ]
}
