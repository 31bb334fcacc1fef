// Messages of the Agent Client Protocol are lines of JSON. What a proxy adds is put into their bytes: everything else stays as its author wrote it.

/** Longer lines are passed on while they arrive, and not read: hooks refuse such a payload too. */
const LINE_MAX = 8 * 1024 * 1024
const LINE_END = 10

/** A line with its end, or a part of one that is too long, or that never ended. */
interface Line {
  bytes: Buffer
  isWhole: boolean
}

export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(LINE_END, start) + 1
      const part = chunk.subarray(start, end || chunk.length)
      start += part.length
      length += part.length
      parts.push(part)
      if (end === 0 && length <= LINE_MAX) continue
      yield { bytes: Buffer.concat(parts), isWhole: length <= LINE_MAX }
      parts = []
      if (end > 0) length = 0
    }
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), isWhole: false }
}

/** Inserts a text into the last array or text at this path of a message, which is valid JSON; undefined where there is none. */
export function insertedAt(path: string[], text: string, message: Buffer): Buffer | undefined {
  const end = endOf(path, message)
  return end === undefined
    ? undefined
    : Buffer.concat([message.subarray(0, end), Buffer.from(text), message.subarray(end)])
}

/** The place of the closing sign of a value. Every sign that matters is one byte long in UTF-8. */
function endOf(path: string[], json: Buffer): number | undefined {
  // The name of the value at each depth; values in an array have none.
  const names: string[] = []
  let found: number | undefined
  const isThere = () => names.length === path.length && path.every((name, depth) => name === names[depth])
  for (let at = 0; at < json.length; at += 1) {
    const sign = String.fromCharCode(json[at] ?? 0)
    if (sign === '"') {
      const end = endOfText(json, at)
      if (isName(json, end)) names[names.length - 1] = json.toString('utf8', at + 1, end)
      else if (isThere()) found = end
      at = end
    } else if (sign === '{' || sign === '[') names.push('')
    else if (sign === '}' || sign === ']') {
      names.pop()
      if (sign === ']' && isThere()) found = at
    }
  }
  return found
}

function endOfText(json: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = json.indexOf('"', at)
    let slashes = 0
    while (json[at - 1 - slashes] === 0x5c) slashes += 1
    if (slashes % 2 === 0) return at
  }
}

function isName(json: Buffer, end: number): boolean {
  let at = end + 1
  while (json[at] === 0x20 || json[at] === 9 || json[at] === 10 || json[at] === 13) at += 1
  return json[at] === 0x3a
}
