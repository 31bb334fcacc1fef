// Who said something, in words, for a terminal and for the page.

/** The author, and the surface through which they said it: `agent, mcp`. */
export function voiceOf({ author = 'unknown', door }: { author?: string; door?: string } = {}): string {
  return door === undefined ? author : `${author}, ${door}`
}
