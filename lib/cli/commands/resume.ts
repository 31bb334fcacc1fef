import type { Command } from 'commander'
import { resume } from '../../moment/switches.js'
import { findProject } from '../../native.js'
import type { Answer, Respond } from '../answer.js'

export function configure(command: Command, respond: Respond): void {
  command.action(
    respond((project): Answer => {
      const projectDir = findProject(project)
      const wasPaused = resume(projectDir)
      return {
        document: { wasPaused, projectDir },
        text: () => (wasPaused ? 'Agents get notes again.' : 'Nothing was paused.'),
      }
    }),
  )
}
