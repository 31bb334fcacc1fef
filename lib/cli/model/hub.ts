// Resumable downloads by HTTP range requests (RFC 9110, section 14): a partial download is kept and resumed.
import type { ModelInstallation } from '../../native.js'
import { variable } from '../../shared/environment.js'
import { hasCode, messageOf, rootCodeOf } from '../../shared/problem.js'
import { Failure } from '../failure.js'
import { KNOWN, repositoryOf } from './models.js'

const ATTEMPTS = 3
const STALL_MS = 60_000
const PIECE_BYTES = 1024 * 1024

/** Called for every chunk; `total` is undefined when the server does not send the length. */
export type Progress = (file: string, received: number, total: number | undefined) => void

/**
 * Downloads the published files of a model. The part that an earlier download of the model with known digests has left is not fetched
 * again; that of the other one is, because it may be of another version.
 */
export async function download(installation: ModelInstallation, name: string, progress: Progress): Promise<void> {
  // A mirror, as in Hugging Face's own tools.
  const base = variable('HF_ENDPOINT').replace(/\/+$/, '')
  const isPinned = name === KNOWN
  for (const file of installation.files()) {
    const url = `${base}/${repositoryOf(name)}/resolve/main/${file}`
    if (!URL.canParse(url)) throw new Failure('INVALID_INPUT', `cannot download ${url}: HF_ENDPOINT is not a valid URL`)
    if (!isPinned) installation.restart(file)
    await fetchWhole({ installation, file, url, progress, isPinned })
  }
}

/** A file that is fetched, perhaps in several attempts. */
interface Fetched {
  installation: ModelInstallation
  file: string
  url: string
  progress: Progress
  /** True if the digest of the whole is known, which makes sure that the parts belong together. */
  isPinned: boolean
  /** The server's name for the version of the first part. */
  version?: string
}

async function fetchWhole(fetched: Fetched): Promise<void> {
  const { installation, file, url } = fetched
  for (let attempt = 1; ; attempt += 1) {
    const before = installation.received(file)
    try {
      return await fetchRest(fetched)
    } catch (error) {
      if (error instanceof Failure || hasCode(error, 'CORRUPT', 'IO', 'INVALID_INPUT')) throw error
      // An attempt that made progress resets the count.
      if (installation.received(file) > before) attempt = 1
      if (attempt >= ATTEMPTS) throw unreachable(url, error)
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt))
    }
  }
}

async function fetchRest(fetched: Fetched): Promise<void> {
  const { installation, file, url, progress } = fetched
  // Without a version that the server knows again, a second part could be that of another file.
  if (!fetched.isPinned && fetched.version === undefined) installation.restart(file)
  const from = installation.received(file)
  const stall = new AbortController()
  let timer = setTimeout(() => stall.abort(), STALL_MS)
  try {
    const condition = fetched.version === undefined ? {} : { 'if-range': fetched.version }
    const headers = from > 0 ? { range: `bytes=${from}-`, ...condition } : {}
    const response = await fetch(url, { headers, signal: stall.signal })
    // 416: the requested range starts at the end, so everything was received. The digest check decides whether it is
    // valid.
    if (response.status === 416) return await response.body?.cancel()
    if (!response.ok) throw refused(url, response.status)
    const version = response.headers.get('etag')
    if (version !== null && !version.startsWith('W/')) fetched.version = version
    if (from > 0 && response.status !== 206) installation.restart(file)
    const start = installation.received(file)
    const length = Number(response.headers.get('content-length'))
    const total = length > 0 ? start + length : undefined
    await readPieces(response, (piece, sum) => {
      clearTimeout(timer)
      timer = setTimeout(() => stall.abort(), STALL_MS)
      installation.receive(file, piece)
      progress(file, start + sum, total)
    })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Passes a body on in chunks that are large enough to write efficiently; the last one even when the connection breaks.
 */
async function readPieces(response: Response, take: (piece: Uint8Array, sum: number) => void): Promise<void> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  let sum = 0
  const flush = () => {
    if (bytes === 0) return
    sum += bytes
    const piece = Buffer.concat(waiting)
    waiting = []
    bytes = 0
    take(piece, sum)
  }
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      waiting.push(chunk)
      bytes += chunk.length
      if (bytes >= PIECE_BYTES) flush()
    }
  } finally {
    flush()
  }
}

function refused(url: string, status: number): Error {
  // Transient errors, which are retried.
  if (status === 429 || status >= 500) return new Error(`it answered with status ${status}`)
  return new Failure('IO', `cannot download ${url}: it answered with status ${status}`, { hint: INSTALL_ALTERNATIVES })
}

function unreachable(url: string, error: unknown): Failure {
  const cause = (error as Error).cause
  const reason = cause instanceof Error ? cause.message || rootCodeOf(cause) : messageOf(error)
  return new Failure('IO', `cannot download ${url}: ${reason}`, { hint: INSTALL_ALTERNATIVES })
}

const INSTALL_ALTERNATIVES =
  'try again to resume the download; or use forge-memory model install --from pip, or --from a folder or file with the model'
