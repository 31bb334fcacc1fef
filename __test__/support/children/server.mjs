// Runs the server of a project until it is stopped.
import { once } from 'node:events'
import { serve as serveProject } from '../../../dist/server/index.js'
import { serve } from './child.mjs'

await serve(async ({ project, port = 0, token, drain = false, watch = false }) => {
  const stop = once(process, 'message')
  const options = { projectDir: project, port, drain, watch, ...(token ? { token } : {}) }
  const server = await serveProject(options)
  process.send({ address: { url: server.url, origin: server.origin, port: server.port, token: server.token } })
  await stop
  await server.close()
  return 'stopped'
})
