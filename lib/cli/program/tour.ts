import { parseArgs } from 'node:util'
import { describe } from '../failure.js'
import { write } from '../page/output.js'
import { takeTour } from '../tour/guide.js'
import { run } from './program.js'

const { values } = parseArgs({ options: { dir: { type: 'string' } } })

takeTour(run, values.dir).then(
  (exitCode) => {
    process.exitCode = exitCode
  },
  (error: unknown) => {
    const { message, code } = describe(error)
    write(2, `error: ${message} (${code})\n`)
    process.exitCode = 1
  },
)
