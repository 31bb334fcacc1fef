// Builds the packages that hosts install. Needs a build (`npm run build`).
//   node scripts/packages.mjs              writes the committed packages: packages/, and the marketplace files
//   node scripts/packages.mjs --check      lists those that are out of date
//   node scripts/packages.mjs --out DIR    writes server.json and the .mcpb bundle, for a release
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildBundle } from './packages/bundle.mjs'
import { root } from './packages/model.mjs'
import { committedFiles, serverJson } from './packages/trees.mjs'

const { values } = parseArgs({ options: { check: { type: 'boolean' }, out: { type: 'string' } } })

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Returns the files that differ from the ones that the script would write. */
function differences(files) {
  const folder = join(root, 'packages')
  const there = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  const unknown = there
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(root.length)
        .replaceAll('\\', '/'),
    )
    .filter((path) => files[path] === undefined)
  const changed = Object.entries(files).filter(([path, content]) => {
    const full = join(root, path)
    return !existsSync(full) || readFileSync(full, 'utf8') !== content
  })
  return [...unknown, ...changed.map(([path]) => path)]
}

const files = committedFiles()
if (values.out !== undefined) {
  const { file, bytes, sha256 } = buildBundle()
  write(join(values.out, file), bytes)
  write(join(values.out, 'server.json'), serverJson({ file, sha256 }))
  console.log(`${file} has ${bytes.length} bytes, sha256 ${sha256}`)
} else if (values.check) {
  const wrong = differences(files)
  for (const path of wrong) console.error(`${path} is out of date: node scripts/packages.mjs`)
  process.exitCode = wrong.length === 0 ? 0 : 1
} else {
  rmSync(join(root, 'packages'), { recursive: true, force: true })
  for (const [path, content] of Object.entries(files)) write(join(root, path), content)
  console.log(`${Object.keys(files).length} files`)
}
