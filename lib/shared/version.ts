import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The package's version. Compiled files lie two folders below `package.json`. */
export const version = (
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as { version: string }
).version
