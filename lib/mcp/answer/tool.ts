import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { OTHER_PROJECTS } from '../../shared/known.js'
import { codeOf, hintOf, messageOf, problem, readingHintOf } from '../../shared/problem.js'
import { type Camel, camel } from './declared.js'
import { plain } from './plain.js'
import { readForms } from './read.js'

/** The context of a tool call. */
export interface ToolContext {
  /** The project. */
  projectDir: string
  /** The name of the host, as a part of a source; `agent` when it does not say. */
  client: string
  /** Aborted when the caller has cancelled the call. */
  signal: AbortSignal
}

/** The result of a tool: the same facts as text for the agent and as structured content. */
export interface ToolAnswer<Output> {
  text: string
  structured: Output
  /** The maximum length of strings in structured content; 4,096 characters when absent. */
  lengthMax?: number
}

export type Camelled<Input> = { [Name in keyof Input as Camel<Name & string>]: Input[Name] }

/** The declaration of a tool. */
export interface Tool<Input = unknown, Output extends Record<string, unknown> = Record<string, unknown>> {
  name: string
  title: string
  /** The purpose of the tool, when to use it, and when not to. */
  description: string
  /** A strict object schema: an unknown argument is refused, never ignored. */
  input: z.ZodType<Input> & { shape: object }
  /** Made when it is asked for: most clients are given texts alone. */
  output(): z.ZodType<Output>
  annotations: ToolAnnotations
  /** Gets its arguments by the names that the engine has for them: `createdBy` for `created_by`. */
  run(input: Camelled<Input>, context: ToolContext): ToolAnswer<Output> | Promise<ToolAnswer<Output>>
}

/** Erases the input and output types of a tool, so that all tools fit into one array. */
export function defineTool<Input, Output extends Record<string, unknown>>(tool: Tool<Input, Output>): Tool {
  return tool as unknown as Tool
}

/** Runs a tool. Every failure is a result with a stable code: an exception never ends the server. */
export async function callTool(tool: Tool, given: unknown, context: ToolContext): Promise<CallToolResult> {
  try {
    const input = tool.input.safeParse(readForms(given ?? {}, tool.input.shape))
    if (!input.success) throw problem('INVALID_INPUT', describeIssues(input.error, Object.keys(tool.input.shape)))
    const named = Object.entries(input.data as object).map(([name, value]) => [camel(name), value])
    const { text, structured, lengthMax } = await tool.run(Object.fromEntries(named), context)
    return { content: [{ type: 'text', text }], structuredContent: plain(structured, lengthMax) }
  } catch (error) {
    return failed(inTermsOf(tool, error), tool.annotations)
  }
}

/** The engine's names for what tools call otherwise. */
const TOLD_AS: Record<string, string> = { body: 'content', quote: 'said' }

/** Names the argument of the tool in an error that names the engine's field. */
function inTermsOf(tool: Tool, error: unknown): unknown {
  const known = Object.keys(tool.input.shape)
  const [, field = '', reason = ''] = /^(\w+): (.*)$/s.exec(messageOf(error)) ?? []
  if (codeOf(error) !== 'INVALID_INPUT' || known.includes(field)) return error
  const name = known.find((each) => each === TOLD_AS[field] || camel(each) === field)
  return name === undefined ? error : problem('INVALID_INPUT', `${name}: ${reason}`, hintOf(error))
}

/**
 * Returns the JSON schema that clients see, with a validator that accepts everything: `callTool` validates instead, so
 * that invalid arguments get the same error format and codes as every other failure.
 */
export function publishedSchema(tool: Tool): StandardSchemaWithJSON<unknown, unknown> {
  const standard = (tool.input as unknown as StandardSchemaWithJSON)['~standard']
  const { jsonSchema } = standard
  const bare = (schema: Record<string, unknown>) => {
    const { $schema: _dialect, ...rest } = schema
    return rest
  }
  return {
    '~standard': {
      ...standard,
      validate: (value: unknown) => ({ value }),
      // The dialect (`$schema`) is the protocol's default. Omitting it saves tokens in every tool that a client loads.
      jsonSchema: {
        input: (options) => bare(jsonSchema.input(options)),
        output: (options) => bare(jsonSchema.output(options)),
      },
    },
  }
}

/** Describes every invalid argument. */
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
        ? 'this server serves the project that it was started in'
        : known.length === 0
          ? 'the tool takes no arguments'
          : `expected one of ${known.join(', ')}`
  return `${name.slice(0, 64)}: unknown argument; ${hint}`
}

/** The advice for an agent in place of a hint that names a command for a person. */
const FOR_AGENTS: Record<string, string> = {
  NOT_FOUND: 'memory_recall returns the ids of records; the last six characters of one are enough',
  PROPOSED: 'a person decides about it; asking again changes nothing',
}

/** A command, or an option of one; the options of this server are in the settings of its host. */
const COMMAND = /forge-memory [a-z]|npm |(?<!mcp )--[a-z]/

/** Leaves out clauses that name a command: a client of this server has tools, and perhaps no shell. */
function withoutCommands(hint: string | undefined, code: string | undefined): string | undefined {
  if (hint === undefined || !COMMAND.test(hint)) return hint
  const own = FOR_AGENTS[code ?? '']
  if (own !== undefined) return own
  const clauses = hint.split('; ').filter((clause) => !COMMAND.test(clause))
  return [...clauses, 'tell the user, who can change it on the command line of forge-memory'].join('; ')
}

/** Renders an error of a tool as its result: the message, and the hint as a second text. */
export function failed(error: unknown, { readOnlyHint }: ToolAnnotations): CallToolResult {
  const code = codeOf(error)
  // A change that waits for a person has not failed, and has not happened either.
  const label = code === 'PROPOSED' ? '' : 'error: '
  const texts = [`${label}${plain(messageOf(error))} (${code})`]
  const hint = withoutCommands(readOnlyHint ? readingHintOf(error) : hintOf(error), code)
  if (hint !== undefined) texts.push(`hint: ${plain(hint)}`)
  return { isError: true, content: texts.map((text) => ({ type: 'text', text })) }
}
