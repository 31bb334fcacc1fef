// Where the tests have their temporary files: in memory, if this system has a folder there.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** On Linux, where it is usual. */
const IN_MEMORY = '/dev/shm'
/** Many times what the tests have there at once. In a container there is often less. */
const FREE_BYTES_MIN = 2 ** 31

/**
 * Makes a folder for temporary files: the variables that name it, and how it is removed. The tests sync tens of thousands of times, and on
 * a disk they mostly wait for that; those about power failures bring a disk of their own. Whoever sets TMPDIR has chosen another folder.
 */
export function memoryFolder(env = process.env) {
  if (env.TMPDIR !== undefined || !hasRoom()) return { variables: {}, remove: () => undefined }
  const folder = mkdtempSync(join(IN_MEMORY, 'forge-memory-'))
  // As the usual one: servers that tests start run as another user.
  chmodSync(folder, 0o755)
  const variables = runsPrograms(folder) ? { TMPDIR: folder } : {}
  return { variables, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize >= FREE_BYTES_MIN
  } catch {
    return false
  }
}

/** The samples in the documentation are compiled and run in the folder for temporary files, which some systems do not allow there. */
function runsPrograms(folder) {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  return spawnSync(program).status === 0
}
