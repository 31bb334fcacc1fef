// Bundles the programs (not the library) so that a cold command opens two or three small files instead of dozens.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'))
const lib = here('lib/')
/** Parts of the programs, and small pieces that are cheaper to have twice than to open as files of their own. */
const inside = ['lib/cli/', 'lib/shared/'].map(here)

/** Leaves the library outside: programs load the same compiled files that other people's code does. */
const libraryOutside = {
  name: 'library-outside',
  async resolveId(source, importer, options) {
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
    if (!resolved?.id.startsWith(lib) || inside.some((dir) => resolved.id.startsWith(dir))) return null
    const file = resolved.id.slice(lib.length).replaceAll('\\', '/').replace(/\.ts$/, '.js')
    return { id: `../${file}`, external: true }
  },
}

/** commander loads this for subcommands in files of their own, which we have none of; it costs 2 ms of every start. */
const noChildProcess = {
  name: 'no-child-process',
  resolveId: (source, importer) =>
    source === 'node:child_process' && importer?.includes('commander') ? '\0no-child-process' : null,
  load: (id) => (id === '\0no-child-process' ? 'module.exports = {}' : null),
}

export default defineConfig({
  input: {
    main: here('lib/cli/main.ts'),
    tour: here('lib/cli/tour/tour.ts'),
    'waiting-thread': here('lib/cli/waiting-thread.ts'),
  },
  platform: 'node',
  plugins: [libraryOutside, noChildProcess],
  transform: { target: 'node20', define: { FORGE_MEMORY_VERSION: JSON.stringify(version) } },
  output: {
    dir: here('dist/cli'),
    format: 'cjs',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // Small pieces that several commands use are opened as one file. `table` and `wrap` bring libraries along: they stay apart.
    codeSplitting: { groups: [{ name: 'page', test: /cli[\\/]page[\\/](?!table|wrap)\w+\.ts$/ }] },
    // Commands are parsed anew at every start: half the text is half the time.
    minify: true,
  },
})
