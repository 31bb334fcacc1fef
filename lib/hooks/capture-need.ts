import type { HookCall } from './call.js'
import { mentionsMark } from './marks.js'
import { runsTests } from './test-command.js'

/** Longer commands are read only under the deadline of the thread that captures. */
const LINE_CHARS_MAX = 2000

/** Whether a call may have something to store. After a tool that is a mark, or a command that runs tests. */
export function mayCapture({ event, said, command }: HookCall): boolean {
  if (event !== 'after-tool' || said !== undefined) return true
  if (command === undefined) return false
  const { line } = command
  return line.length > LINE_CHARS_MAX || mentionsMark(line) || runsTests(line)
}
