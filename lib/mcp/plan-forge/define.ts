// Tools of the profile `plan-forge`: each takes `path`, and answers one JSON document, as the older tool's clients read it.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { findProject } from '../../native.js'
import { given } from '../../shared/given.js'
import { problem } from '../../shared/problem.js'
import { plain } from '../answer/plain.js'
import { defineTool, type Tool } from '../answer/tool.js'

export const READS: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
export const WRITES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
export const DELETES: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }

const pathField = z
  .string()
  .min(1)
  .optional()
  .describe('The folder of the project that is meant (default: the one that this server was started in).')

interface Definition<Shape extends z.ZodRawShape> {
  name: string
  title: string
  description: string
  fields: Shape
  annotations: ToolAnnotations
  /** `cwd` is the project that is meant. */
  run(input: z.infer<z.ZodObject<Shape>>, cwd: string, signal: AbortSignal): unknown
}

/** Defines a tool by what it answers about a project. */
export function define<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Tool {
  const { fields, run, ...told } = definition
  return defineTool({
    ...told,
    input: z.strictObject({ ...fields, path: pathField }) as unknown as Tool['input'],
    output: z.looseObject({}),
    async run(input, { projectDir, signal }) {
      const { path, ...rest } = input as { path?: string; targetPath?: string }
      const cwd = folderOf(path ?? rest.targetPath, projectDir)
      const document = plain(await run(rest as unknown as z.infer<z.ZodObject<Shape>>, cwd, signal)) as object
      return { text: JSON.stringify(document, null, 2), structured: { ...document } }
    },
  })
}

function folderOf(path: string | undefined, projectDir: string | undefined): string {
  if (path === undefined) return findProject(given({ projectDir }))
  const folder = resolve(path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw problem('INVALID_INPUT', 'path: the folder does not exist', 'name the folder of a project, or leave path out')
}
