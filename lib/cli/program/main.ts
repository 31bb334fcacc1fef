#!/usr/bin/env node
// Fast path: agents run a hook at every tool call, so the command line that `init` writes is handled without the
// parser.
import { plainArguments } from '../../hooks/arguments.js'

// Windows looks for a program in the current folder first, and that may be a clone with a git.exe of its own.
process.env.NoDefaultCurrentDirectoryInExePath ??= '1'

const [name, ...args] = process.argv.slice(2)
const hook = name === 'hook' ? plainArguments(args) : undefined
if (hook === undefined) {
  void import('./program.js')
    .then(({ run }) => run(process.argv.slice(2)))
    // Sets the exit code instead of calling `process.exit`, which would drop pending output.
    .then((exitCode) => {
      process.exitCode = exitCode
    })
} else {
  void import('../../hooks/process.js')
    .then(({ answerHook }) => answerHook(hook))
    // The engine may be missing, for example. The exit code stays 0, because a host may take a failing hook for a
    // refusal.
    .catch((error: unknown) => process.stderr.write(`warning: the hook did nothing: ${String(error).split('\n')[0]}\n`))
}
