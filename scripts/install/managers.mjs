// The package managers that an installation is tried with: how each is told of a registry, adds packages and runs a program.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = (folder, name, lines) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
const program = (tools, name, path) => join(tools, 'node_modules', name, path)

/** Each with the program of the tools that it is, or none when it is npm itself, and what it does in a folder. */
export const MANAGERS = {
  npm: {
    prepare: (folder, url) =>
      file(folder, '.npmrc', [`registry=${url}`, 'audit=false', 'fund=false', 'update-notifier=false']),
    add: (packages) => ['npm', 'install', ...packages],
  },
  pnpm: {
    prepare: (folder, url) => file(folder, '.npmrc', [`registry=${url}`]),
    program: (tools) => ['node', program(tools, 'pnpm', 'bin/pnpm.mjs')],
    add: (packages) => ['add', ...packages],
  },
  'yarn 1': {
    prepare: (folder, url) => file(folder, '.yarnrc', [`registry "${url}"`, '--install.no-progress true']),
    program: (tools) => ['node', program(tools, 'yarn1', 'bin/yarn.js')],
    add: (packages) => ['add', '--non-interactive', ...packages],
  },
  'yarn 4, node_modules': yarn('node-modules'),
  "yarn 4, Plug'n'Play": { ...yarn('pnp'), run: (script) => ['node', script] },
  bun: {
    prepare: (folder, url) => file(folder, 'bunfig.toml', ['[install]', `registry = "${url}"`]),
    program: (tools) => [program(tools, 'bun', process.platform === 'win32' ? 'bin/bun.exe' : 'bin/bun.exe')],
    add: (packages) => ['add', ...packages],
  },
}

function yarn(linker) {
  return {
    prepare: (folder, url) => {
      const settings = [
        `npmRegistryServer: "${url.slice(0, -1)}"`,
        `nodeLinker: ${linker}`,
        'unsafeHttpWhitelist: ["127.0.0.1"]',
        'enableTelemetry: false',
        'enableGlobalCache: false',
        'npmMinimalAgeGate: 0',
      ]
      file(folder, '.yarnrc.yml', settings)
      // A lock file of its own makes the folder a project, whatever lies above it.
      file(folder, 'yarn.lock', [])
    },
    program: (tools) => ['node', program(tools, '@yarnpkg/cli-dist', 'bin/yarn.js')],
    add: (packages) => ['add', ...packages],
  }
}
