/** The SHA-256 of a text, in hexadecimal. Its library is loaded when it is needed: that takes as long as a search. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
}
