// The release candidate that is installed.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Returns the folder of the candidate: the given one, or one that is made below `folder` of what was built. */
export function candidateIn(root, folder, given) {
  if (given !== undefined) return given
  const out = join(folder, 'candidate')
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'release-candidate.mjs'), '--out', out], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('there is no candidate')
  return out
}
