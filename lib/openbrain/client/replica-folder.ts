import { join } from 'node:path'
import { memoryDir } from '../../native.js'
import { sha256 } from '../../shared/digest.js'
import { forgeHome } from '../../shared/home.js'

/** Returns where the replica of what a team stored about a project is, in the user's own folder. */
export function replicaFolder(projectDir: string): string {
  const name = sha256(memoryDir({ projectDir })).slice(0, 32)
  return join(forgeHome(), 'replicas', name)
}
