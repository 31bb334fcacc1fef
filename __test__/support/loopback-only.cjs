// Loaded into every Node process of the tests: a connection or a question to a name server that would leave this machine fails, and is
// noted in the file that FORGE_TEST_CONNECTIONS names, so that the run fails also where the test copes with it.
const { appendFileSync } = require('node:fs')
const net = require('node:net')
const dns = require('node:dns')
const dgram = require('node:dgram')

const loopback = new net.BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

function isLoopback(host) {
  const family = net.isIP(host)
  if (family === 0) return /^(.+\.)?localhost\.?$/i.test(host)
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4')
}

function refusal(what) {
  const file = process.env.FORGE_TEST_CONNECTIONS
  if (file) appendFileSync(file, `${what}: ${process.argv.slice(1).join(' ')}\n`)
  return Object.assign(new Error(`a test must not leave this machine: ${what}`), { code: 'ENETUNREACH' })
}

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function guarded(...args) {
  // The arguments as `net` itself hands them on, or as a caller gives them.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  const {
    path,
    host = 'localhost',
    port,
  } = typeof first === 'object' && first !== null
    ? first
    : typeof first === 'string' && Number.isNaN(Number(first))
      ? { path: first }
      : { port: first, host: typeof second === 'string' ? second : undefined }
  // A name is asked for below.
  if (path || net.isIP(host) === 0 || isLoopback(host)) return connect.apply(this, args)
  const error = refusal(`connection to ${host}:${port}`)
  process.nextTick(() => this.destroy(error))
  return this
}

const { lookup } = dns
dns.lookup = function guarded(name, ...rest) {
  if (!name || net.isIP(name) || isLoopback(name)) return lookup.call(dns, name, ...rest)
  // Names that are never given to anybody are known to be nobody's without asking.
  const error = /\.invalid\.?$/.test(name)
    ? Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
        code: 'ENOTFOUND',
        syscall: 'getaddrinfo',
        hostname: name,
      })
    : refusal(`name ${name}`)
  process.nextTick(rest.at(-1), error)
}
const { lookup: promised } = dns.promises
dns.promises.lookup = (name, ...rest) => {
  if (!name || net.isIP(name) || isLoopback(name)) return promised.call(dns.promises, name, ...rest)
  return Promise.reject(refusal(`name ${name}`))
}

const { send } = dgram.Socket.prototype
dgram.Socket.prototype.send = function guarded(...args) {
  const host = args.findLast((arg) => typeof arg === 'string' && net.isIP(arg) !== 0)
  if (host !== undefined && !isLoopback(host)) throw refusal(`message to ${host}`)
  return send.apply(this, args)
}
