// Publishes a release candidate: every archive of its folder, once. What an earlier attempt has published is left out, so that it can be
// run again.
//   npm run release:publish -- FOLDER [options of npm publish, such as --provenance]
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { manifestIn } from './archives.mjs'
import { npm } from './npm.mjs'

/** Refuses a folder whose files are not those that were made. */
function requireSums(folder) {
  for (const line of readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
    const [expected, name] = line.split('  ')
    const found = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
    if (found !== expected) throw new Error(`${name} is not the file that the candidate was made with`)
  }
}

/** The archives; those that name others come behind them, and the one that people install is the last. */
function inOrder(folder) {
  const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const packages = archives.map((name) => ({ archive: join(folder, name), manifest: manifestIn(join(folder, name)) }))
  return packages.sort((one, other) => rankOf(one.manifest) - rankOf(other.manifest))
}

function rankOf({ name, optionalDependencies = {} }) {
  if (name === 'forge-memory') return 2
  return Object.keys(optionalDependencies).length > 0 ? 1 : 0
}

function isPublished({ name, version }, folder) {
  try {
    return npm(['view', `${name}@${version}`, 'version'], folder).trim() === version
  } catch {
    // A registry says 404 of a package that it does not know. Any other failure is that of publishing.
    return false
  }
}

const [given, ...options] = process.argv.slice(2)
try {
  if (given === undefined) throw new Error('name the folder of the candidate: npm run release:candidate makes it')
  const folder = resolve(given)
  requireSums(folder)
  for (const { archive, manifest } of inOrder(folder)) {
    const name = `${manifest.name}@${manifest.version}`
    if (isPublished(manifest, folder)) {
      console.log(`${name} is there already`)
      continue
    }
    npm(['publish', archive, '--access', 'public', ...options], folder)
    console.log(`published ${name}`)
  }
} catch (error) {
  console.error(`error: ${error.message}`)
  process.exitCode = 1
}
