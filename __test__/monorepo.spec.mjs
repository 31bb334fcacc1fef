// What is learned in a package of a repository belongs to it: it is recalled there first, and elsewhere as well.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { call, connectStdio } from './support/mcp.mjs'

/** A repository with packages, and commands that run in its folders. */
function monorepo(t, settings) {
  const command = freshCommand(t)
  for (const folder of ['.git', 'apps/web/src/pages', 'apps/api', 'docs', 'apps/web/node_modules/left-pad']) {
    mkdirSync(join(command.project, folder), { recursive: true })
  }
  const manifests = [
    'package.json',
    'apps/web/package.json',
    'apps/api/Cargo.toml',
    'apps/web/node_modules/left-pad/package.json',
  ]
  for (const path of manifests) writeFileSync(join(command.project, path), '{}')
  if (settings !== undefined) writeFileSync(join(command.project, '.forge.json'), JSON.stringify(settings))
  const at = (folder) => ({ cwd: join(command.project, folder) })
  const capture = (folder, text) => json(command, ['capture', '--type', 'lesson', text], at(folder)).thought.tags
  const recall = (folder, query) => json(command, ['recall', query], at(folder)).hits.map(({ text }) => text)
  return { ...command, capture, recall }
}

test('a folder with a manifest is a package: its records come first there, and are found everywhere', (t) => {
  const { capture, recall } = monorepo(t)
  assert.deepEqual(capture('apps/api', 'The timeout of requests is thirty seconds in production'), ['scope:apps/api'])
  assert.deepEqual(capture('apps/web/src/pages', 'The timeout of requests is five seconds in the browser'), [
    'scope:apps/web',
  ])
  assert.deepEqual(capture('docs', 'The timeout of requests is told in the manual of operations'), [])
  assert.deepEqual(capture('.', 'The timeout of requests was discussed for a whole week'), [])
  assert.match(recall('apps/web', 'timeout of requests')[0], /browser/)
  assert.match(recall('apps/web/src', 'timeout of requests')[0], /browser/)
  assert.match(recall('apps/api', 'timeout of requests')[0], /production/)
  assert.match(recall('apps/api', 'timeout of requests').at(-1), /browser/)
  for (const folder of ['.', 'docs', 'apps/web', 'apps/api'])
    assert.equal(recall(folder, 'timeout of requests').length, 4)
})

test('scopes name packages, and what was captured before is theirs', (t) => {
  const settings = { scopes: { web: ['apps/web', 'docs'], api: ['apps/api'] } }
  const { capture, recall, project } = monorepo(t)
  capture('apps/api', 'The timeout of requests is thirty seconds in production')
  capture('apps/web', 'The timeout of requests is five seconds in the browser')
  writeFileSync(join(project, '.forge.json'), JSON.stringify(settings))
  assert.match(recall('apps/web', 'timeout of requests')[0], /browser/)
  assert.match(recall('docs', 'timeout of requests')[0], /browser/, 'a scope may have several folders')
  assert.match(recall('apps/api', 'timeout of requests')[0], /production/)
  assert.deepEqual(capture('docs', 'The manual names every timeout'), ['scope:docs'])
})

test('dependencies are no packages of the project, and the tag is given once', (t) => {
  const { run, project, capture } = monorepo(t)
  assert.deepEqual(capture('apps/web/node_modules/left-pad', 'It pads on the left'), ['scope:apps/web'])
  const args = ['--json', 'capture', '-t', 'lesson', '--tag', 'scope:apps/api', 'It is tagged by hand']
  const { stdout } = run(args, { cwd: join(project, 'apps/api') })
  assert.deepEqual(JSON.parse(stdout).thought.tags, ['scope:apps/api'])
})

test('over MCP the file that a record is about names the package', async (t) => {
  const command = monorepo(t)
  writeFileSync(join(command.project, 'apps/web/src/pages/login.tsx'), 'export {}\n')
  const { client } = await connectStdio(t, command)
  await call(client, 'capture_thought', {
    content: 'The login page keeps its state in the address',
    source_file: 'apps/web/src/pages/login.tsx',
  })
  await call(client, 'capture_thought', { content: 'Nothing names a file here' })
  const tagsOf = (query) => json(command, ['recall', query]).hits[0].tags
  assert.deepEqual(tagsOf('login page state'), ['scope:apps/web'])
  assert.deepEqual(tagsOf('nothing names'), [])
  const outside = await client.callTool({
    name: 'capture_thought',
    arguments: { content: 'A file elsewhere', source_file: '../../etc/passwd' },
  })
  assert.equal(outside.isError === true || outside.structuredContent.captured, true)
})
