import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { modelPaths, prepareModel } from '../../scripts/setup/model.mjs'
import { root } from './project.mjs'

await prepareModel(root)

/** The published files: `wheel`, `unpacked`, and `home`, where they are installed once for all tests that only read. */
export const model = modelPaths(root)

/** Installs the model into the shared home, unless it is there, and returns its folder. */
export function installedModel() {
  const program = join(root, 'dist', 'cli', 'main.js')
  const args = [program, '--json', 'model', 'install', '--from', model.unpacked]
  const env = { ...process.env, FORGE_HOME: model.home }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the model cannot be installed: ${stderr}`)
  return JSON.parse(stdout).folder
}

/** Runs the real command without holding up this process, which may be the server that it talks to. */
export async function runModel(home, args, env = {}) {
  const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'model', ...args], {
    cwd: home,
    env: { ...process.env, FORGE_HOME: home, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const status = await new Promise((resolve) => child.once('close', resolve))
  return { status, stdout, stderr, document: args.includes('--json') ? JSON.parse(stdout) : undefined }
}
