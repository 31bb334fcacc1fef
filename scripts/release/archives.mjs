// Archives of packages, as npm packs them: a gzipped tar with everything in a folder named "package".
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

function tar(args) {
  const { status, stdout, stderr, error } = spawnSync('tar', args, { encoding: 'utf8', maxBuffer: 16 << 20 })
  if (status !== 0) throw new Error(`tar ${args[0]} failed: ${error?.message ?? stderr}`)
  return stdout
}

export function manifestIn(archive) {
  return JSON.parse(tar(['-xzOf', archive, 'package/package.json']))
}

/** Packs an installed package, without what is installed below it, and returns the archive. */
export function archiveFolder(path, into, { name, version }) {
  const archive = join(into, `${name.replace('/', '-').replace('@', '')}-${version}.tgz`)
  const staged = mkdtempSync(join(tmpdir(), 'forge-memory-archive-'))
  try {
    cpSync(path, join(staged, 'package'), {
      recursive: true,
      filter: (from) => !from.slice(path.length).includes('node_modules'),
    })
    tar(['-czf', archive, '-C', staged, 'package'])
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
  return archive
}

/** The packages of a checkout that its package may need when it is used, optional ones included: each with its folder and its manifest. */
export function installedDependencies(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev && existsSync(join(root, path, 'package.json')))
    .map(([path]) => ({
      path: join(root, path),
      manifest: JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')),
    }))
}
