// The only import of the native addon: all other TypeScript imports the engine from this file. The binding itself,
// `index.js` and `index.d.ts` in the package root, is generated from `src/`.
import './library.js'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import * as binding from '../index.js'

export * from '../index.js'

/** Parts that are installed apart, by the names that the engine has for them. Their packages have one package per platform. */
const ADDONS = { lattice: 'forge-memory-lattice', embed: 'forge-memory-embed' }

const { resolve } = createRequire(__filename)

function resolved(id: string, folder?: string): string | undefined {
  try {
    return resolve(id, folder === undefined ? undefined : { paths: [folder] })
  } catch {
    // It is not installed; the engine says so when it is needed.
    return undefined
  }
}

/** Returns the files of an addon, as Node finds them from this package. Nothing of it is read or run. */
function filesOf(name: string): string[] {
  const manifest = resolved(`${name}/package.json`)
  if (manifest === undefined) return []
  const platforms = process.platform === 'linux' ? ['-gnu', '-musl'] : process.platform === 'win32' ? ['-msvc'] : ['']
  const places = platforms.map((libc) => `${process.platform}-${process.arch}${libc}`)
  const files = places.map((place) => resolved(`${name}-${place}/${name}.${place}.node`, dirname(manifest)))
  return files.filter((file) => file !== undefined)
}

const { provideAddons } = binding as unknown as { provideAddons(files: Record<keyof typeof ADDONS, string[]>): void }
provideAddons({ lattice: filesOf(ADDONS.lattice), embed: filesOf(ADDONS.embed) })
