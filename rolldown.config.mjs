// Bundles the programs, the MCP server and the main entry, so that a cold start opens two or three files instead of dozens. The rest of
// the library stays as it is compiled.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'
import { roomsNamed } from './scripts/rooms/named.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'))
const lib = here('lib/')

/** The folders of one name, as features have them: `lib/plan-forge/commands/`. */
const foldersNamed = (name) => roomsNamed(name).map((room) => `lib/${room}/`)

/**
 * Leaves the library outside, but for some folders of it: what is bundled loads the same compiled files that other people's
 * code does. Small pieces are cheaper to have twice than to open as files of their own.
 */
function libraryOutside(...folders) {
  return libraryFrom('..', ...folders)
}

/** The same for a bundle from which the compiled files are reached by `way`. */
function libraryFrom(way, ...folders) {
  const inside = ['lib/shared/', 'lib/text/', ...folders].map(here)
  return {
    name: 'library-outside',
    async resolveId(source, importer, options) {
      if (options.isEntry) return null
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (!resolved?.id.startsWith(lib) || inside.some((dir) => resolved.id.startsWith(dir))) return null
      const file = resolved.id.slice(lib.length).replaceAll('\\', '/').replace(/\.ts$/, '.js')
      return { id: `${way}/${file}`, external: true }
    },
  }
}

/** commander loads this for subcommands in files of their own, which we have none of; it costs 2 ms of every start. */
const noChildProcess = {
  name: 'no-child-process',
  resolveId: (source, importer) =>
    source === 'node:child_process' && importer?.includes('commander') ? '\0no-child-process' : null,
  load: (id) => (id === '\0no-child-process' ? 'module.exports = {}' : null),
}

/** It loads what it needs when that is needed: as it is compiled, by the loader of modules, which takes its time to find out what a file is. */
const SHARED_MEMORY = 'lib/api/shared-memory'

/** What `doctor` runs, and what the MCP server runs before it has answered `initialize`. */
const CHECKS = ['findings', 'health', 'driver', 'launch', 'own-copy', 'git'].map((name) => `lib/init/${name}.ts`)
const EARLY = ['early-answer', 'initialize', 'whereabouts'].map((name) => `lib/mcp/${name}.ts`)

const COMMANDS = foldersNamed('commands').map(here)
const ENTRY = /^export const entry: CommandEntry = (\{\n.*?^\})\n/ms

/** The list of commands is what their files say of them; these are loaded without it, when they are typed. */
const commandsFound = {
  name: 'commands-found',
  resolveId: (source, importer) =>
    source === './entries.js' && importer?.endsWith('registry.ts') ? '\0entries' : null,
  load(id) {
    if (COMMANDS.some((folder) => id.startsWith(folder))) return readFileSync(id, 'utf8').replace(ENTRY, '')
    if (id !== '\0entries') return null
    const files = COMMANDS.flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.ts'))
        .map((file) => ({ file, path: folder + file })),
    )
    const entries = files.map(({ file, path }) => {
      const [, entry] = ENTRY.exec(readFileSync(path, 'utf8')) ?? this.error(`${file} has no entry`)
      return `{ name: ${JSON.stringify(file.replace('.ts', ''))}, load: () => import(${JSON.stringify(path)}), ...${entry} }`
    })
    return `export const entries = [${entries.join(', ')}]`
  },
}

/**
 * The SDK checks what users answer to a question of the server with a validator of JSON schemas, half a megabyte of it. This
 * server asks nothing; its own schemas are zod's.
 */
const noSchemaValidator = {
  name: 'no-schema-validator',
  resolveId: (source) => (source === '@modelcontextprotocol/server/_shims' ? '\0no-schema-validator' : null),
  load: (id) =>
    id === '\0no-schema-validator'
      ? `import process from 'node:process'
         class DefaultJsonSchemaValidator { getValidator() { throw new Error('this server asks its users nothing') } }
         export { DefaultJsonSchemaValidator, process }`
      : null,
}

const programs = defineConfig({
  input: {
    main: here('lib/cli/program/main.ts'),
    tour: here('lib/cli/program/tour.ts'),
    'waiting-thread': here('lib/cli/program/waiting-thread.ts'),
  },
  platform: 'node',
  plugins: [
    libraryOutside('lib/cli/', ...foldersNamed('commands'), SHARED_MEMORY, 'lib/undo/', ...CHECKS, ...EARLY),
    noChildProcess,
    commandsFound,
  ],
  transform: { target: 'node20', define: { FORGE_MEMORY_VERSION: JSON.stringify(version) } },
  output: {
    dir: here('dist/cli'),
    format: 'cjs',
    // What is left outside is CommonJS as well: the loader of modules would take its time to find that out.
    dynamicImportInCjs: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // Small pieces that several commands use are opened as one file. `table`, `wrap` and `picker` bring libraries along: they stay apart.
    codeSplitting: {
      groups: [
        { name: 'start', test: /lib[\\/]shared[\\/](environment|home|ours)\.ts/, priority: 2 },
        // Help, and the advice to install the engine, do without the engine.
        {
          name: 'program',
          test: /node_modules[\\/]commander|lib[\\/](cli[\\/](program[\\/]program|failure|command|page[\\/](?!table|wrap|picker)\w+)|text[\\/].*|shared[\\/](problem|json))\.ts$/,
          priority: 1,
        },
        { name: 'common', test: /lib[\\/](api|cli|shared|undo)[\\/](?!page|commands|program)/, minShareCount: 3 },
      ],
    },
    // Commands are parsed anew at every start: half the text is half the time.
    minify: true,
  },
})

/** Agents start the server anew for every session and wait for its first answer: reading a hundred files took most of it. */
const mcp = defineConfig({
  input: { index: here('lib/mcp/index.ts') },
  platform: 'node',
  plugins: [
    libraryOutside('lib/mcp/', SHARED_MEMORY, 'lib/features.ts', ...foldersNamed('feature'), ...foldersNamed('mcp')),
    noSchemaValidator,
  ],
  transform: { target: 'node20' },
  output: {
    dir: here('dist/mcp'),
    format: 'cjs',
    // What is left outside is CommonJS as well: the loader of modules would take its time to find that out.
    dynamicImportInCjs: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [
        {
          name: 'protocol',
          // With the small pieces that tools of every profile use: they are opened as one file.
          test: /node_modules[\\/](@modelcontextprotocol[\\/](core|server)|zod)[\\/]|lib[\\/](mcp[\\/]answer|api|shared|text)[\\/]/,
        },
        {
          name: 'core',
          test: /lib[\\/](mcp[\\/]tools[\\/](core|capture|memory|replace|search|show)|[\w-]+[\\/]feature[\\/]\w+)\.ts$/,
        },
      ],
    },
    minify: true,
  },
})

/** The main entry: a file of its own for each of its functions would take longer to open than the engine to load. */
const library = defineConfig({
  input: { index: here('lib/index.ts') },
  platform: 'node',
  plugins: [libraryFrom('.', 'lib/api/')],
  transform: { target: 'node20' },
  output: {
    dir: here('dist'),
    format: 'cjs',
    dynamicImportInCjs: false,
    esModule: true,
    // The engine's functions never change, and an accessor for each takes longer to make than the function itself.
    externalLiveBindings: false,
    entryFileNames: '[name].js',
  },
})

/** The driver asks how the cloud of one provider opens sockets, by an object of the web that Node takes 50 ms of the processor to make. */
const nodeSockets = {
  name: 'node-sockets',
  load: (id) =>
    /node_modules[\\/]pg[\\/]lib[\\/]stream\.js$/.test(id)
      ? `module.exports = {
           getStream: () => new (require('net').Socket)(),
           getSecureStream: (options) => require('tls').connect(options),
         }`
      : null,
}

/** What reads the settings of a store, where anything may name one: a command that has none to ask then loads no more than this. */
const ASKED =
  /lib[\\/](shared[\\/]|openbrain[\\/](client[\\/](team|replica-folder)|discovery|failure|failure-class|foreign-text|person|secrets|settings|trust|user-settings|variables)\.ts$)|node_modules[\\/]jsonc-parser/

/**
 * The shared memory: whether there is a store is known after the first file, a search opens one more, and one in PostgreSQL another. What it
 * brings along, the driver of PostgreSQL and the client of MCP, would be most of what an installation adds, as dependencies.
 */
const sharedMemory = defineConfig({
  input: Object.fromEntries(
    readdirSync(`${lib}openbrain`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [path.replaceAll('\\', '/').replace('.ts', ''), `${lib}openbrain/${path}`]),
  ),
  platform: 'node',
  plugins: [libraryFrom(here('dist'), 'lib/openbrain/'), nodeSockets],
  makeAbsoluteExternalsRelative: true,
  // Other forms of packages than these find their own files only as long as they are not bundled.
  resolve: { mainFields: ['module', 'main'] },
  // The driver looks for a password in a file by itself as well.
  checks: { ineffectiveDynamicImport: false },
  transform: { target: 'node20' },
  output: {
    dir: here('dist/openbrain'),
    format: 'cjs',
    dynamicImportInCjs: false,
    externalLiveBindings: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: [
        { name: 'asked', test: ASKED, priority: 2 },
        {
          name: 'answered',
          test: /lib[\\/]openbrain[\\/](client[\\/](search|store-pool|open)|embedded[\\/]store|embedder[\\/]local|[\w-]+)\.ts$/,
          priority: 1,
        },
        { name: 'database', test: /lib[\\/]openbrain[\\/]postgres[\\/]|node_modules[\\/](pg|postgres)\b/ },
      ],
    },
    minify: true,
  },
})

export default [programs, mcp, library, sharedMemory]
