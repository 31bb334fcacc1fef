#!/usr/bin/env node
import { run } from './program.js'

// The code is set, not passed to `process.exit`, so that whatever still waits to be written is written.
run(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode
})
