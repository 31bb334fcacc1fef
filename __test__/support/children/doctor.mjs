// Tells what `doctor` finds, in a place that the test has made: with `full`, on a disk without room.
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFaults } from '../../../dist/init/findings.js'

const { project, user, full } = JSON.parse(process.argv[2])
if (user !== undefined) process.setuid(user)
if (full) {
  const { bavail, bsize } = statfsSync(project)
  writeFileSync(join(project, 'balloon'), Buffer.alloc(bavail * bsize))
}
const findings = await findFaults({ projectDir: project })
process.stdout.write(JSON.stringify(findings.filter(({ severity }) => severity === 'problem')))
