// Hook calls that failed. The host continued; `doctor` reports them to the user later.
import { type Fault, lineOf, readyJournal, record } from '../moment/journal.js'
import { findProject } from '../native.js'
import { asLine, cutTo } from '../shared/line.js'

const MESSAGE_MAX = 300

/** Logs a failed call in the journal of its project. */
export function noteFault(hook: string, host: string, message: string): void {
  try {
    record(findProject(), [faultOf(hook, host, message)])
  } catch {
    // Without a project there is no journal to write to.
  }
}

/** Returns the journal and the line that the deadline writes before it ends the process. */
export function lastFault(hook: string, host: string, message: string): { log: string; line: string } {
  try {
    return { log: readyJournal(findProject()), line: lineOf(faultOf(hook, host, message)) }
  } catch {
    return { log: '', line: '' }
  }
}

function faultOf(hook: string, host: string, message: string): Fault {
  const said = cutTo(asLine(message), MESSAGE_MAX)
  return {
    at: new Date().toISOString(),
    kind: 'fault',
    hook: cutTo(asLine(hook), 64),
    host: cutTo(asLine(host), 32),
    message: said,
  }
}
