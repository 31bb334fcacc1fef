// Clients of the MCP tools of the profile `plan-forge`.
import assert from 'node:assert/strict'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { createMcpServer, loadTools } from '../../dist/mcp/index.js'
import { freshProject } from './plan-forge.mjs'

/** A client of a server with the profile, in a project of its own. */
export async function profile(t) {
  const project = freshProject(t)
  const tools = await loadTools('plan-forge')
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await createMcpServer({ projectDir: project.cwd, tools, structured: true }).build().connect(theirs)
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(ours)
  t.after(() => client.close())
  const call = async (name, args = {}) => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: args })
    const texts = content.map(({ text }) => text)
    if (isError) return { failed: texts.join('\n') }
    const document = JSON.parse(texts[0])
    assert.deepEqual(structuredContent, document)
    return document
  }
  return { project, client, call }
}
