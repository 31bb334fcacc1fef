// An npm registry on the loopback: serves archives of packages, so that an installation can be tried before anything is published, and takes
// those that are published to it. It knows what package managers ask for when they install and publish, and nothing else.
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { archiveFolder, manifestIn } from './archives.mjs'

/**
 * Serves the archives of a folder, and those of installed packages, which are made in a folder of its own, on a thread of its own: package managers are waited for. Returns the
 * address, and what ends it.
 */
export async function serveRegistry(folder, installed, own) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { folder, installed, own } })
  const url = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  return { url, close: () => worker.terminate() }
}

async function serve({ folder, installed, own }) {
  const versions = new Map()
  const add = (archive, manifest = manifestIn(archive)) => {
    const known = versions.get(manifest.name) ?? new Map()
    versions.set(manifest.name, known.set(manifest.version, { archive, manifest }))
  }
  for (const name of readdirSync(folder)) if (name.endsWith('.tgz')) add(join(folder, name))
  for (const { path, manifest } of installed) add(archiveFolder(path, own, manifest), manifest)
  const server = createServer(async (request, response) => {
    if (request.method === 'PUT') {
      for (const archive of await published(request, own)) add(archive)
      return response.writeHead(201, { 'content-type': 'application/json' }).end('{"ok":true}')
    }
    const found = answerTo(request, versions, `http://${request.headers.host}`)
    response.statusCode = found === undefined ? 404 : 200
    if (found?.archive !== undefined) return createReadStream(found.archive).pipe(response)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(found?.document ?? { error: 'not found' }))
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address()
  return `http://127.0.0.1:${port}/`
}

/** Keeps the archives that are published below `own`, and returns their paths. */
async function published(request, own) {
  const parts = []
  for await (const part of request) parts.push(part)
  const { _attachments: archives } = JSON.parse(Buffer.concat(parts).toString('utf8'))
  return Object.entries(archives).map(([name, { data }]) => {
    const archive = join(own, basename(name))
    writeFileSync(archive, Buffer.from(data, 'base64'))
    return archive
  })
}

/** Finds what a request names: `/name`, `/@scope%2fname`, `/name/version`, `/-/archives/name.tgz`. */
function answerTo({ method, url }, versions, address) {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const path = decodeURIComponent(new URL(url, address).pathname).slice(1)
  if (path.startsWith('-/archives/')) {
    const wanted = path.slice('-/archives/'.length)
    const all = [...versions.values()].flatMap((known) => [...known.values()])
    return all.find(({ archive }) => basename(archive) === wanted)
  }
  const [, name, version] = /^(@[^/]+\/[^/]+|[^/]+)(?:\/([^/]+))?$/.exec(path) ?? []
  const known = versions.get(name)
  if (known === undefined) return undefined
  const described = [...known].map(([number, one]) => [number, describe(one, address)])
  const latest = described.at(-1)[0]
  if (version !== undefined) return { document: Object.fromEntries(described)[version === 'latest' ? latest : version] }
  const time = Object.fromEntries(described.map(([number]) => [number, '2020-01-01T00:00:00.000Z']))
  return { document: { name, 'dist-tags': { latest }, versions: Object.fromEntries(described), time } }
}

function describe({ archive, manifest }, address) {
  const bytes = readFileSync(archive)
  const dist = {
    tarball: `${address}/-/archives/${basename(archive)}`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  }
  return { ...manifest, _id: `${manifest.name}@${manifest.version}`, dist }
}

if (!isMainThread && workerData?.installed) parentPort.postMessage(await serve(workerData))
