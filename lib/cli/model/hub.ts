// Resumable downloads by HTTP range requests (RFC 9110, section 14): what an earlier run received is kept and continued.
import type { ModelInstallation } from '../../native.js'
import { hasCode, messageOf, rootCodeOf } from '../../shared/problem.js'
import { Failure } from '../failure.js'

/** Where the model is published. `HF_ENDPOINT` names a mirror, as it does for the hub's own programs. */
const HUB = 'https://huggingface.co'
const REPOSITORY = 'sentence-transformers/all-MiniLM-L6-v2'
/** The small one first: it tells early whether the hub can be reached. */
const FILES = ['tokenizer.json', 'model.safetensors']
const ATTEMPTS = 3
const STALL_MS = 60_000
const PIECE_BYTES = 1024 * 1024

/** Told of every piece that has arrived; `total` is undefined when the server does not tell. */
export type Progress = (file: string, received: number, total: number | undefined) => void

/** Downloads the published files. What an earlier download has left is not fetched again. */
export async function download(installation: ModelInstallation, progress: Progress): Promise<void> {
  const base = process.env.HF_ENDPOINT || HUB
  for (const file of FILES) {
    const url = `${base.replace(/\/+$/, '')}/${REPOSITORY}/resolve/main/${file}`
    if (!URL.canParse(url)) throw new Failure('INVALID_INPUT', `cannot download ${url}: HF_ENDPOINT is not a valid URL`)
    await fetchWhole(installation, file, url, progress)
  }
}

async function fetchWhole(
  installation: ModelInstallation,
  file: string,
  url: string,
  progress: Progress,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const before = installation.received(file)
    try {
      return await fetchRest(installation, file, url, progress)
    } catch (error) {
      if (error instanceof Failure || isOurs(error)) throw error
      // Only attempts that brought nothing count.
      if (installation.received(file) > before) attempt = 1
      if (attempt >= ATTEMPTS) throw unreachable(url, error)
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt))
    }
  }
}

async function fetchRest(
  installation: ModelInstallation,
  file: string,
  url: string,
  progress: Progress,
): Promise<void> {
  const from = installation.received(file)
  const stall = new AbortController()
  let timer = setTimeout(() => stall.abort(), STALL_MS)
  try {
    const headers = from > 0 ? { range: `bytes=${from}-` } : {}
    const response = await fetch(url, { headers, signal: stall.signal })
    // Nothing is left behind what was received: it is whole, or wrong, and the check says which.
    if (response.status === 416) return await response.body?.cancel()
    if (!response.ok) throw refused(url, response.status)
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

/** Hands a body on in pieces that are worth a write; the last one also when the body breaks off. */
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

function isOurs(error: unknown): boolean {
  return hasCode(error, 'CORRUPT', 'IO', 'INVALID_INPUT')
}

function refused(url: string, status: number): Error {
  // These pass by themselves.
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
