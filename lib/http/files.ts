import { closeSync, createReadStream, fstatSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'
import { pipeline } from 'node:stream'
import { resolveConfined } from '../shared/confined.js'
import { variable } from '../shared/environment.js'
import { problem } from '../shared/problem.js'
import { openRegular } from '../shared/regular-file.js'
import { limitReading, securityHeaders } from './answer.js'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

export function dashboardFolder(): string {
  return variable('FORGE_MEMORY_DASHBOARD') || join(__dirname, '..', 'dashboard')
}

/** Sends a file of the dashboard, or its page for every other address (client-side routing). */
export function sendFile(request: IncomingMessage, response: ServerResponse, folder: string, pathname: string): void {
  const wanted = pathname === '/' ? '/index.html' : pathname
  const file = openAt(folder, wanted) ?? (isPage(request) ? openAt(folder, '/index.html') : undefined)
  if (!file) throw problem('NOT_FOUND', wanted === '/index.html' ? 'the dashboard was not built' : 'no such page')
  limitReading(response)
  response.writeHead(200, {
    ...securityHeaders(request),
    'Cache-Control': /\/assets\//.test(wanted) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Type': TYPES[extname(file.path)] ?? 'application/octet-stream',
    'Content-Length': file.size,
  })
  if (request.method === 'HEAD') {
    closeSync(file.descriptor)
    response.end()
  } else pipeline(createReadStream('', { fd: file.descriptor }), response, () => undefined)
}

interface OpenFile {
  descriptor: number
  path: string
  size: number
}

/** Opens a file of the folder. Returns undefined when it does not exist or is outside of the folder. */
function openAt(folder: string, pathname: string): OpenFile | undefined {
  try {
    const path = resolveConfined(folder, `.${sep}${safe(pathname)}`)
    const descriptor = openRegular(path)
    return descriptor === undefined ? undefined : { descriptor, path, size: fstatSync(descriptor).size }
  } catch {
    return undefined
  }
}

function safe(pathname: string): string {
  try {
    const path = decodeURIComponent(pathname)
    return path.includes('\0') || path.includes('\\') ? '' : path
  } catch {
    return ''
  }
}

function isPage(request: IncomingMessage): boolean {
  return (request.headers.accept ?? '').includes('text/html')
}
