/** Leaves out parameters of a request that are `null`, and its parameters when they are: the protocol knows none, and some hosts send them. */
export function withoutNullParameters<T>(message: T): T {
  if (typeof message !== 'object' || message === null || !('params' in message)) return message
  const { params, ...rest } = message
  if (params === null) return rest as T
  if (typeof params !== 'object' || Array.isArray(params)) return message
  return {
    ...rest,
    params: Object.fromEntries(Object.entries(params as object).filter(([, value]) => value !== null)),
  } as T
}
