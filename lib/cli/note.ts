import type { Command } from 'commander'

const notes = new WeakMap<Command, string>()

/** Sets the paragraph that ends the help of a command. */
export function addNote(command: Command, text: string): Command {
  notes.set(command, text)
  return command
}

export function noteOf(command: Command): string | undefined {
  return notes.get(command)
}
