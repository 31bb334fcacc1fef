// Ways to take something away from a child process: the right to write, the network, the room on the disk.
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment, childProgram } from './processes.mjs'

const OPEN = { folder: 0o755, file: 0o644 }
/** Root ignores file modes, so the program runs as the user `nobody`. */
const isRoot = process.getuid?.() === 0
const otherUser = isRoot ? 65_534 : undefined
/** The folder is that of root, which the other user says to be safe. */
const SAFE = fileURLToPath(new URL('../data/safe.gitconfig', import.meta.url))

/** Tells whether a command works here at all. */
function works(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** How a child gets namespaces of its own: as root, with a user namespace, or not at all. */
function unshareArguments(...kinds) {
  if (process.platform !== 'linux') return undefined
  return [kinds, ['-r', ...kinds]].find((args) => works('unshare', ...args, 'true'))
}

/** Runs a program of `support/children` after a prefix command, and returns its JSON output. */
function run(prefix, name, memory, input) {
  const [command, ...args] = [
    ...prefix,
    process.execPath,
    childProgram(name),
    JSON.stringify({ ...input, project: memory.project }),
  ]
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: childEnvironment(memory, input?.user === undefined ? {} : { GIT_CONFIG_GLOBAL: SAFE }),
    maxBuffer: 1 << 28,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${name} ended with ${signal ?? status}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** Runs a program as it is. */
export function runPlain(name, memory, input) {
  return run([], name, memory, input)
}

/** Runs a program without any network, where that is possible. */
export function runOffline(name, memory, input) {
  const namespace = unshareArguments('-n')
  return run(namespace ? ['unshare', ...namespace] : [], name, memory, input)
}

/** Runs a program that finds the whole folder of the test on a read-only file system, or without the right to write. */
export function runReadOnly(name, memory, input) {
  const namespace = unshareArguments('-m')
  const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
  if (namespace && works('unshare', ...namespace, 'sh', '-c', script, 'sh', memory.folder, 'true')) {
    return run(['unshare', ...namespace, 'sh', '-c', script, 'sh', memory.folder], name, memory, input)
  }
  setModes(memory.folder, isRoot ? OPEN : { folder: 0o555, file: 0o444 })
  try {
    return run([], name, memory, { ...input, user: otherUser })
  } finally {
    setModes(memory.folder, OPEN)
  }
}

/** Runs a program that may not read one of the files. */
export function runUnreadable(name, memory, path, input) {
  setModes(memory.folder, OPEN)
  chmodSync(path, 0)
  return run([], name, memory, { ...input, user: otherUser })
}

function setModes(folder, modes) {
  // Opened before its content is changed, and closed after that.
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) setModes(path, modes)
    else chmodSync(path, modes.file)
  }
  chmodSync(folder, modes.folder)
}

/** Runs a program whose project is on a file system of its own of one mebibyte, where that is possible. */
export function runOnSmallDisk(name, memory, input) {
  const namespace = unshareArguments('-m')
  const script = 'mount -t tmpfs -o size=1m,mode=777 tmpfs "$1" && shift && exec "$@"'
  if (!namespace || !works('unshare', ...namespace, 'sh', '-c', script, 'sh', memory.project, 'true')) return undefined
  return run(['unshare', ...namespace, 'sh', '-c', script, 'sh', memory.project], name, memory, input)
}

/** Runs a program that cannot create files longer than this many blocks of 512 bytes. */
export function runWithShortFiles(name, memory, blocks, input) {
  return run(['sh', '-c', 'ulimit -f "$1" && shift && exec "$@"', 'sh', String(blocks)], name, memory, input)
}
