import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream'
import { problem } from '../hub/problem.js'
import { securityHeaders } from './answer.js'

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

/** Where the pages of the dashboard are. */
export function dashboardFolder(): string {
  return process.env.FORGE_MEMORY_DASHBOARD || join(__dirname, '..', 'dashboard')
}

/** Sends a file of the dashboard; the page itself for addresses that are none of its files. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  pathname: string,
): Promise<void> {
  const wanted = pathname === '/' ? '/index.html' : pathname
  const file = (await fileAt(folder, wanted)) ?? (isPage(request) ? await fileAt(folder, '/index.html') : undefined)
  if (!file)
    throw problem('NOT_FOUND', wanted === '/index.html' ? 'the dashboard was not built' : 'there is no such page')
  response.writeHead(200, {
    ...securityHeaders(request),
    'Cache-Control': /\/assets\//.test(wanted) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Type': TYPES[extname(file.path)] ?? 'application/octet-stream',
    'Content-Length': file.size,
  })
  if (request.method === 'HEAD') response.end()
  else pipeline(createReadStream(file.path), response, () => undefined)
}

async function fileAt(folder: string, pathname: string): Promise<{ path: string; size: number } | undefined> {
  const root = resolve(folder)
  const path = resolve(root, `.${sep}${safe(pathname)}`)
  if (!path.startsWith(root + sep)) return undefined
  try {
    const found = await stat(path)
    return found.isFile() ? { path, size: found.size } : undefined
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
