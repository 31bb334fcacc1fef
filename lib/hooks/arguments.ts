export interface PlainArguments {
  event: string
  host?: string
}

/** Parses the arguments after `hook` if they have the form that `init` writes: an event, and optionally a host. */
export function plainArguments(args: string[]): PlainArguments | undefined {
  const [event = '', option, ...rest] = args
  if (rest.length > 0 || !/^[A-Za-z]{1,64}$/.test(event)) return undefined
  if (option === undefined) return { event }
  const [, host] = /^--host=([a-z]{1,32})$/.exec(option) ?? []
  return host === undefined ? undefined : { event, host }
}
