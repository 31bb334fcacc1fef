// Tools of the profile `plan-forge`: each takes `path` and returns one JSON document, as Plan Forge's clients expect.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { plain } from '../../mcp/answer/plain.js'
import { type Camelled, defineTool, type Tool } from '../../mcp/answer/tool.js'
import { problem } from '../../shared/problem.js'

export const READS: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
export const WRITES: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
export const DELETES: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }

/** The maximum length of a thought: Plan Forge's clients expect the whole text. */
const TEXT_LENGTH_MAX = 1 << 16

const pathField = z
  .string()
  .min(1)
  .optional()
  .describe('The folder of the project (default: the one that this server was started in).')

interface Definition<Shape extends z.ZodRawShape> {
  name: string
  title: string
  description: string
  /** Beside `path`; none when absent. */
  fields?: Shape
  annotations: ToolAnnotations
  /** `cwd` is the folder of the project. */
  run(input: Camelled<z.infer<z.ZodObject<Shape>>>, cwd: string, signal: AbortSignal): unknown
}

/** Defines a tool that takes `path`, and returns one JSON document about that project. */
export function define<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Tool {
  const { fields, run, ...declaration } = definition
  return defineTool({
    ...declaration,
    input: z.strictObject({ ...fields, path: pathField }) as unknown as Tool['input'],
    output: () => z.looseObject({}),
    async run(input, { projectDir, signal }) {
      const { path, ...rest } = input as { path?: string; targetPath?: string }
      const cwd = folderOf(path ?? rest.targetPath, projectDir)
      const answer = await run(rest as unknown as Camelled<z.infer<z.ZodObject<Shape>>>, cwd, signal)
      const document = plain(answer, TEXT_LENGTH_MAX) as object
      return { text: JSON.stringify(document, null, 2), structured: { ...document }, lengthMax: TEXT_LENGTH_MAX }
    },
  })
}

function folderOf(path: string | undefined, projectDir: string): string {
  if (path === undefined) return projectDir
  const folder = resolve(path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw problem('INVALID_INPUT', 'path: the folder does not exist', 'name the folder of a project, or leave path out')
}
