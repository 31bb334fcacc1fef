import { networkInterfaces } from 'node:os'

/** Wildcard addresses: a server that listens on one is reachable under every address of the machine. */
const WILDCARD_ADDRESSES = ['0.0.0.0', '::']

/** Returns the URLs of a server under every address that clients can use, those of this machine first. */
export function originsOf(host: string, port: number): string[] {
  const hosts = WILDCARD_ADDRESSES.includes(host) ? ['127.0.0.1', ...outwardAddresses(host === '::')] : [host]
  return hosts.map((name) => `http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

/** Excludes link-local IPv6 addresses: their zone id (the network interface) is not allowed in a browser's URL. */
function outwardAddresses(isBoth: boolean): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all
    .filter(({ internal, family, address }) => {
      if (internal || (family === 'IPv6' && !isBoth)) return false
      return !/^fe80:/i.test(address)
    })
    .map(({ address }) => address)
}
