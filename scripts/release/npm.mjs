// npm as a child process.
import { spawnSync } from 'node:child_process'

/** Runs npm in a folder and returns what it printed. */
export function npm(args, cwd) {
  // On Windows `npm` is a script that cannot be started without a shell.
  const script = process.env.npm_execpath
  const [command, before, shell] = script?.endsWith('.js')
    ? [process.execPath, [script], false]
    : ['npm', [], process.platform === 'win32']
  const { status, stdout, stderr, error } = spawnSync(command, [...before, ...args], { cwd, encoding: 'utf8', shell })
  if (status !== 0) throw new Error(`npm ${args[0]} failed in ${cwd}: ${error?.message ?? stderr}`)
  return stdout
}

/** Returns the files that npm would pack of a folder. */
export function packedFiles(folder) {
  return packed(npm(['pack', '--dry-run', '--json', '--ignore-scripts'], folder)).files.map((file) => file.path)
}

/** Packs a folder into an archive, and returns its name. */
export function pack(folder, into) {
  return packed(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', into], folder)).filename
}

function packed(text) {
  const listed = JSON.parse(text)
  // npm 11.6 and older print a list, newer ones an object with a key for each package.
  const [one] = Array.isArray(listed) ? listed : Object.values(listed)
  return one
}
