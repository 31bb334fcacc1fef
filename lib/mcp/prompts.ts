import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { listMemories, recall } from '../native.js'
import { noteLine } from '../shared/note-line.js'
import { skillText } from '../shared/skill.js'
import { frameWithin } from './answer/notes.js'

const ENTRIES_MAX = 30

/** Registers the prompts: `start-of-session`, notes for a task or in general, and `memory-backfill`, how an agent goes through past sessions. */
export function registerPrompts(server: McpServer, project: () => Promise<string>): void {
  server.registerPrompt(
    'start-of-session',
    {
      title: 'Start of a session',
      description: 'What earlier sessions learned that matters now, and how to add to it.',
      argsSchema: z.object({ task: z.string().optional().describe('What the session is about.') }),
    },
    async ({ task }) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: opening(task, await project()) } }],
    }),
  )
  server.registerPrompt(
    'memory-backfill',
    {
      title: 'Quotes from past sessions',
      description: 'How to go through past sessions in batches, and keep what people stated for a review.',
    },
    () => ({
      messages: [
        { role: 'user' as const, content: { type: 'text' as const, text: withoutHead(skillText('memory-backfill')) } },
      ],
    }),
  )
}

/** A skill without its front matter. */
const withoutHead = (skill: string) => skill.slice(skill.indexOf('\n# ') + 1)

function opening(task: string | undefined, projectDir: string): string {
  const about = task?.trim() ?? ''
  const hits =
    about === ''
      ? listMemories({ limit: ENTRIES_MAX, projectDir }).entries
      : recall(about, { limit: ENTRIES_MAX, projectDir }).hits
  const notes =
    hits.length === 0 ? 'Nothing is stored about this yet.\n' : frameWithin(hits.map(noteLine), undefined).text
  const intro = about === '' ? '' : `The task: ${about}\n\n`
  return `${intro}${notes}
Check what matters before you rely on it. When you learn something that should outlive this session, store it with capture_thought.`
}
