import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { OTHER_PROJECTS } from '../../shared/known.js'
import { codeOf, hintOf, messageOf, problem } from '../../shared/problem.js'
import { plain } from './plain.js'

/** Where a tool works. */
export interface ToolContext {
  /** The project whose memory it is; found from the working directory when absent. */
  projectDir?: string
  /** Ends when the caller no longer waits. */
  signal: AbortSignal
}

/** What a tool answers: the same facts for the agent to read and for programs. */
export interface ToolAnswer<Output> {
  text: string
  structured: Output
}

/** A tool as its file declares it. */
export interface Tool<Input = unknown, Output extends Record<string, unknown> = Record<string, unknown>> {
  name: string
  title: string
  /** What it is for, when to use it, and when not. */
  description: string
  /** A strict object: an unknown argument is refused, never ignored. */
  input: z.ZodType<Input> & { shape: object }
  output: z.ZodType<Output>
  annotations: ToolAnnotations
  run(input: Input, context: ToolContext): ToolAnswer<Output> | Promise<ToolAnswer<Output>>
}

/** Hides what goes in and comes out, so that tools of all kinds fit into one list. */
export function defineTool<Input, Output extends Record<string, unknown>>(tool: Tool<Input, Output>): Tool {
  return tool as unknown as Tool
}

/** Runs a tool. Whatever goes wrong is an answer with a stable code: a fault never ends the server. */
export async function callTool(tool: Tool, given: unknown, context: ToolContext): Promise<CallToolResult> {
  try {
    const input = tool.input.safeParse(given ?? {})
    if (!input.success) throw problem('INVALID_INPUT', describeIssues(input.error, Object.keys(tool.input.shape)))
    const { text, structured } = await tool.run(input.data, context)
    return { content: [{ type: 'text', text }], structuredContent: plain(structured) }
  } catch (error) {
    return failed(error)
  }
}

/**
 * The schema as clients see it, without the check: `callTool` checks, so that wrong arguments are answered in the same
 * words and with the same codes as everything else that goes wrong.
 */
export function publishedSchema(tool: Tool): StandardSchemaWithJSON<unknown, unknown> {
  const standard = (tool.input as unknown as StandardSchemaWithJSON)['~standard']
  return { '~standard': { ...standard, validate: (value: unknown) => ({ value }) } }
}

/** Names every argument that is wrong. */
function describeIssues(error: z.ZodError, known: string[]): string {
  return error.issues
    .flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => describeUnknown(name, known))
      return [`${issue.path.length > 0 ? issue.path.join('.') : 'arguments'}: ${issue.message}`]
    })
    .join('; ')
}

function describeUnknown(name: string, known: string[]): string {
  const isProject = OTHER_PROJECTS.includes(name)
  const hint =
    isProject && known.includes('path')
      ? 'path names the folder of the project'
      : isProject
        ? 'this server serves the project that it was started in; forge-memory mcp --project DIR serves another one'
        : known.length === 0
          ? 'the tool takes no arguments'
          : `expected one of ${known.join(', ')}`
  return `${name.slice(0, 64)}: unknown argument; ${hint}`
}

/** What went wrong, and in a text of its own what to do about it. */
function failed(error: unknown): CallToolResult {
  const texts = [`error: ${plain(messageOf(error))} (${codeOf(error)})`]
  const hint = hintOf(error)
  if (hint !== undefined) texts.push(`hint: ${plain(hint)}`)
  return { isError: true, content: texts.map((text) => ({ type: 'text', text })) }
}
