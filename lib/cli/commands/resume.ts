import type { Command } from 'commander'
import { resumeMemory } from '../../native.js'
import { projectOrNone } from '../../shared/no-project.js'
import type { Answer, Respond } from '../answer.js'

export function configure(command: Command, respond: Respond): void {
  command.action(
    respond((project): Answer => {
      const projectDir = projectOrNone(project)
      const wasPaused = resumeMemory({ projectDir })
      return {
        document: { wasPaused, projectDir },
        text: () => (wasPaused ? 'Agents get notes again.' : 'Nothing was paused.'),
      }
    }),
  )
}
