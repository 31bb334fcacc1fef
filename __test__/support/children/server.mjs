// Runs the server of a project until it is told to stop.
import { once } from 'node:events'
import { serve as serveProject } from '../../../dist/server/index.js'
import { serve } from './child.mjs'

await serve(async ({ project, port = 0, token }) => {
  const stop = once(process, 'message')
  const server = await serveProject({ projectDir: project, port, watch: false, ...(token ? { token } : {}) })
  process.send({ address: { url: server.url, origin: server.origin, port: server.port, token: server.token } })
  await stop
  await server.close()
  return 'stopped'
})
