// Puts together the packages that a release consists of, one folder for each: the programs and the library; the engine, once for each
// platform; and each addon, as one package that people name and one for each platform.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADDONS, ENGINE, fileOf, LIBRARIES, PLATFORMS, programOf } from '../addons/libraries.mjs'
import { packedFiles } from './npm.mjs'

const MAIN = 'forge-memory'

const json = (path) => JSON.parse(readFileSync(path, 'utf8'))
const write = (folder, manifest) =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)

/** Returns the platforms whose libraries were built: all of them, because they fit each other. */
export function builtPlatforms(root, from = root) {
  const filesOf = (platform) => [...LIBRARIES.map(({ name }) => fileOf(name, platform.name)), programOf(platform)]
  return Object.values(PLATFORMS).filter((platform) => filesOf(platform).every((file) => existsSync(join(from, file))))
}

/** Writes all packages below `into`, each into a folder of its name, and returns the folders. The libraries lie in `from`. */
export function writePackages(root, into, platforms, from = root) {
  const shared = sharedFields(json(join(root, 'package.json')))
  const own = ADDONS.flatMap((addon) => [
    writeAddon(root, into, addon, shared, platforms),
    ...platforms.map((platform) => writeLibrary(root, into, { ...addon, platform, from }, shared)),
  ])
  return [
    ...platforms.map((platform) => writeEngine(root, into, platform, from)),
    ...own,
    writeMain(root, into, platforms),
  ]
}

const sharedFields = ({ version, license, author, repository, homepage, bugs, engines }) => ({
  version,
  license,
  author,
  repository,
  homepage,
  bugs,
  engines,
})

function folderFor(root, into, name) {
  const folder = join(into, name)
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  return folder
}

/** The package of the engine for one platform, whose manifest is kept in `npm/`. */
function writeEngine(root, into, platform, from) {
  const folder = folderFor(root, into, `${MAIN}-${platform.name}`)
  cpSync(join(root, 'npm', platform.name), folder, { recursive: true })
  // What package managers say of a package when they install it, without running anything.
  if (platform.wasNeverRun) {
    const { bugs } = json(join(root, 'package.json'))
    const deprecated = `built for ${platform.name}, and never run there yet; what does not work: ${bugs.url}`
    write(folder, { ...json(join(folder, 'package.json')), deprecated })
  }
  const file = fileOf(ENGINE.name, platform.name)
  copyFileSync(join(from, file), join(folder, file))
  const program = programOf(platform)
  copyFileSync(join(from, program), join(folder, program))
  // Artefacts of a build lose it.
  chmodSync(join(folder, program), 0o755)
  return folder
}

/** The package of one addon for one platform. */
function writeLibrary(root, into, { name: what, what: purpose, platform, from }, shared) {
  const name = `${what}-${platform.name}`
  const folder = folderFor(root, into, name)
  const file = fileOf(what, platform.name)
  copyFileSync(join(from, file), join(folder, file))
  writeFileSync(
    join(folder, 'README.md'),
    `# ${name}\n\nHolds ${purpose}, for ${platform.name}. It is installed by \`${what}\`.\n`,
  )
  const { os, cpu, libc } = platform
  const limits = { os: [os], cpu: [cpu], ...(libc === undefined ? {} : { libc: [libc] }) }
  write(folder, {
    name,
    description: `${purpose}, for ${platform.name}`,
    ...shared,
    main: file,
    files: [file],
    ...limits,
  })
  return folder
}

/** The package by which an addon is installed. It holds nothing: a package manager takes the library that fits the machine. */
function writeAddon(root, into, { name, what }, shared, platforms) {
  const folder = folderFor(root, into, name)
  const { version } = shared
  const readme = [
    `# ${name}`,
    '',
    `Adds ${what}, to [forge-memory](https://www.npmjs.com/package/forge-memory).`,
    '',
    '```sh',
    `npm install ${name}@${version}`,
    '```',
    '',
    'Install it where forge-memory is installed (with `-g` when that is global), in the same version.',
    '',
  ]
  writeFileSync(join(folder, 'README.md'), readme.join('\n'))
  const optionalDependencies = Object.fromEntries(platforms.map((platform) => [`${name}-${platform.name}`, version]))
  write(folder, { name, description: what, ...shared, files: [], optionalDependencies })
  return folder
}

/** Whether a file is in the packages of platforms: a library, or the program of hooks. */
const isOfPlatform = (file) => file.endsWith('.node') || file.startsWith('forge-memory-hook.')

/** The package that people install: what a checkout packs, without libraries. */
function writeMain(root, into, platforms) {
  const folder = join(into, MAIN)
  for (const file of packedFiles(root).filter((file) => !isOfPlatform(file))) {
    cpSync(join(root, file), join(folder, file), { recursive: true })
  }
  const { devDependencies, scripts, napi, overrides, ...manifest } = json(join(root, 'package.json'))
  const { version, files } = manifest
  const engines = Object.fromEntries(platforms.map((platform) => [`${MAIN}-${platform.name}`, version]))
  // Named, so that strict package managers let the package find an addon that its user has installed.
  const addons = ADDONS.map(({ name }) => name)
  write(folder, {
    ...manifest,
    files: files.filter((file) => !isOfPlatform(file)),
    optionalDependencies: engines,
    peerDependencies: Object.fromEntries(addons.map((name) => [name, version])),
    peerDependenciesMeta: Object.fromEntries(addons.map((name) => [name, { optional: true }])),
  })
  return folder
}
