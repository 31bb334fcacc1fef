import type { Command } from 'commander'
import { addNote, type CommandEntry, type Respond } from '../command.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'give notes to an agent that an editor starts over ACP',
  examples: ['forge-memory agent acp -- opencode acp', 'forge-memory agent acp -- gemini --acp'],
  isServer: true,
}

const NOTE =
  'Editors run this command in place of the agent. It passes on every message, adds notes to prompts, and stores what the agent marks. Agents with hooks of their own need no proxy.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .argument('<agent>', 'the program that speaks the Agent Client Protocol')
    .argument('[arguments...]', 'its arguments; put -- before the agent')
    .action(
      respond(async (_project, agent: string, args: string[]) => {
        const { runProxy } = await import('../acp/proxy.js')
        const exitCode = await runProxy(agent, args)
        return { document: undefined, text: '', bytes: () => new Uint8Array(), exitCode }
      }),
    )
}
