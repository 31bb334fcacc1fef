// Makes the folder of a release candidate from what was built: every package as an archive, their checksums, the bill of materials and
// the notes. Nothing is published.
//   npm run release:candidate [-- --out FOLDER] [--libraries FOLDER] [--all] [--bundle]
// --libraries names the folder with the built libraries; the checkout when absent. --all refuses when a platform's are missing. --bundle adds
// the bundle for Claude Desktop and server.json, which names it for registries of MCP servers; compressing it takes time.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PLATFORMS } from './addons/libraries.mjs'
import { billOfMaterials } from './release/bill-of-materials.mjs'
import { notesOf } from './release/notes.mjs'
import { pack } from './release/npm.mjs'
import { builtPlatforms, writePackages } from './release/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The server's container file, with what it needs beside the archives. */
const CONTAINER = ['Containerfile', 'health.mjs']

const optionOf = (option) => {
  const at = process.argv.indexOf(option)
  return at < 0 ? undefined : process.argv[at + 1]
}

async function make() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const out = resolve(optionOf('--out') ?? join(root, 'release', manifest.version))
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty`)
  const libraries = resolve(optionOf('--libraries') ?? root)
  const platforms = builtPlatforms(root, libraries)
  const missing = Object.values(PLATFORMS).filter((platform) => !platforms.includes(platform))
  if (platforms.length === 0)
    throw new Error(`no libraries in ${libraries}: npm run build makes those of this platform`)
  if (process.argv.includes('--all') && missing.length > 0) throw new Error(`not built: ${namesOf(missing)}`)

  mkdirSync(out, { recursive: true })
  const staged = mkdtempSync(join(tmpdir(), 'forge-memory-release-'))
  try {
    for (const folder of writePackages(root, staged, platforms, libraries)) pack(folder, out)
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
  if (process.argv.includes('--bundle')) await writeBundle(out, libraries)
  for (const name of CONTAINER) copyFileSync(join(root, 'container', name), join(out, name))
  writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(root, manifest), null, 2)}\n`)
  writeFileSync(
    join(out, 'NOTES.md'),
    notesOf(root, manifest.version, { built: namesOf(platforms), missing: namesOf(missing) }),
  )
  const files = readdirSync(out).sort()
  const sums = files.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex')}  ${name}`,
  )
  writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`)
  for (const name of files) console.log(`${String(statSync(join(out, name)).size).padStart(10)}  ${name}`)
  console.log(`\n${out}: ${platforms.length} of ${Object.keys(PLATFORMS).length} platforms`)
}

/** Loaded when asked for: it needs the programs to be built. */
async function writeBundle(out, libraries) {
  const { buildBundle, librariesIn } = await import('./packages/bundle.mjs')
  const { serverJson } = await import('./packages/trees.mjs')
  const { file, bytes, sha256 } = buildBundle(librariesIn(libraries))
  writeFileSync(join(out, file), bytes)
  writeFileSync(join(out, 'server.json'), serverJson({ file, sha256 }))
}

const namesOf = (platforms) => platforms.map(({ name }) => name).join(', ')

try {
  await make()
} catch (error) {
  console.error(`error: ${error.message}`)
  process.exitCode = 1
}
