#!/usr/bin/env node
// Where there is no native program for hooks, agents run this one at every tool call: it does without a parser of arguments then.
import { keepCompiledCode } from './code-cache.js'

// Windows looks for a program in the current folder first, and that may be a clone with a git.exe of its own.
process.env.NoDefaultCurrentDirectoryInExePath ??= '1'

keepCompiledCode()

const [name, ...args] = process.argv.slice(2)

function runProgram(): void {
  void import('./program.js')
    .then(({ run }) => run(process.argv.slice(2)))
    // Sets the exit code instead of calling `process.exit`, which would drop pending output.
    .then((exitCode) => {
      process.exitCode = exitCode
    })
}

// Antigravity has payloads that the engine does not read.
if (name === 'hook' && !args.includes('--host=antigravity')) {
  void import('../../native.js')
    .then(({ answerHook }) => answerHook(args, [process.execPath, __filename, 'hook']))
    .then((isAnswered) => (isAnswered ? undefined : runProgram()))
    // The engine may be missing, for example. The exit code stays 0, because a host may take a failing hook for a refusal.
    .catch((error: unknown) => process.stderr.write(`warning: the hook did nothing: ${String(error).split('\n')[0]}\n`))
} else runProgram()
