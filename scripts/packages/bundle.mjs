// The bundle for Claude Desktop: a ZIP archive with the program, its dependencies, and the libraries of every platform that was built: the
// engine's and both addons, because nothing can be installed into a bundle later.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { zipSync } from 'fflate'
import { fileOf, LIBRARIES } from '../addons/libraries.mjs'
import { builtPlatforms } from '../release/packages.mjs'
import { identity, NAME, root } from './model.mjs'

const SERVER = 'server'
const SYSTEMS = { darwin: 'darwin', linux: 'linux', win32: 'win32' }

/** Returns the manifest of the bundle, for the systems whose libraries it contains. */
export function manifestOf(libraries) {
  const { name, version, description, author, homepage, repository, license, keywords } = identity
  const platforms = Object.keys(SYSTEMS).filter((system) =>
    libraries.some((library) => library.includes(`.${system}-`)),
  )
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Forge Memory',
    version,
    description,
    author,
    repository: { type: 'git', url: repository },
    homepage,
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: `${SERVER}/dist/cli/main.js`,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${SERVER}/dist/cli/main.js`, 'mcp', '--project', '$' + '{user_config.project}'],
        env: {},
      },
    },
    tools_generated: true,
    user_config: {
      project: {
        type: 'directory',
        title: 'Project folder',
        description: 'The folder whose memory is served',
        required: true,
      },
    },
    compatibility: { platforms, runtimes: { node: '>=20.19.0' } },
  }
}

/** Returns the bundle as bytes, with its hash. `libraries` are the paths of libraries by their names. */
export function buildBundle(libraries = librariesIn(root)) {
  const files = { 'manifest.json': Buffer.from(`${JSON.stringify(manifestOf(Object.keys(libraries)), null, 2)}\n`) }
  for (const [name, path] of Object.entries(libraries)) files[`${SERVER}/${name}`] = readFileSync(path)
  for (const name of ['package.json', 'index.js', 'LICENSE'])
    files[`${SERVER}/${name}`] = readFileSync(join(root, name))
  for (const folder of ['dist', 'skills']) addFolder(files, join(root, folder), `${SERVER}/${folder}`)
  for (const folder of dependencyFolders())
    addFolder(files, folder, `${SERVER}/${relative(root, folder).replaceAll('\\', '/')}`)
  // One modification time for all files, so that the archive is reproducible.
  const options = { mtime: new Date('2026-01-01T00:00:00Z'), level: 6 }
  const bytes = zipSync(Object.fromEntries(Object.entries(files).sort()), options)
  return { file: `${NAME}.mcpb`, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** The libraries of the platforms that were built into a folder: all of each, as the packages have them. */
export function librariesIn(folder) {
  const platforms = builtPlatforms(root, folder)
  if (platforms.length === 0) throw new Error(`no libraries in ${folder}: npm run build makes those of this platform`)
  const files = platforms.flatMap((platform) => LIBRARIES.map(({ name }) => fileOf(name, platform.name)))
  return Object.fromEntries(files.map((file) => [file, join(folder, file)]))
}

function addFolder(files, folder, place) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') addFolder(files, path, `${place}/${entry.name}`)
    } else if (entry.isFile() && !/\.(d\.[cm]?ts|map)$/.test(entry.name))
      files[`${place}/${entry.name}`] = readFileSync(path)
  }
}

/** The folders of the transitive dependencies, without packages of types. */
function dependencyFolders() {
  const found = new Map()
  const follow = (from) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies).filter((each) => !each.startsWith('@types/'))) {
      const folder = folderOf(name, from)
      if (found.has(folder)) continue
      found.set(folder, name)
      follow(folder)
    }
  }
  follow(root)
  return [...found.keys()].sort()
}

function folderOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return path
    if (folder === dirname(folder)) throw new Error(`${name}, which ${from} needs, is not installed`)
  }
}
