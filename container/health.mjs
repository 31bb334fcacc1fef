// Whether the server in this container answers. `serve` has /health; MCP over HTTP refuses a request without a token, which is an answer.
const port = process.env.FORGE_MEMORY_PORT ?? '3100'
try {
  const { status } = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(4000) })
  process.exitCode = status === 200 || status === 401 ? 0 : 1
} catch {
  process.exitCode = 1
}
