// Generates long notes: logs and traces around a few lines of prose. Seed and length determine every byte.
import { Random } from '../../bench/data/random.mjs'

/** Returns the text of a note; `filler: { kind, seed, bytes, at }` says what is put before (`at: 'before'`) or after it. */
export function lengthen({ text, filler }) {
  if (filler === undefined) return text
  const lines = FILLERS[filler.kind](new Random(filler.seed), filler.bytes)
  return filler.at === 'before' ? `${lines}\n\n${text}` : `${text}\n\n${lines}`
}

/** Repeats a line until the text is long enough. */
function fill(bytes, lineOf) {
  const lines = []
  for (let length = 0, at = 0; length < bytes; at += 1) {
    const line = lineOf(at)
    lines.push(line)
    length += Buffer.byteLength(line) + 1
  }
  return lines.join('\n')
}

const hex = (random, length) => Array.from({ length }, () => random.below(16).toString(16)).join('')
const two = (number) => String(number).padStart(2, '0')

const FILLERS = {
  access: accessLog,
  build: buildLog,
  java: javaTrace,
  node: nodeTrace,
  python: pythonTrace,
  kube: kubeEvents,
  diff: diffOfLock,
  sql: queryPlan,
  tests: testOutput,
}

const ROUTES = [
  '/',
  '/health',
  '/api/v2/orders',
  '/api/v2/cart',
  '/assets/app.js',
  '/login',
  '/api/v2/users/me',
  '/favicon.ico',
  '/ws',
  '/metrics',
]
const AGENTS = [
  'curl/8.4.0',
  'Mozilla/5.0 (X11; Linux x86_64)',
  'kube-probe/1.29',
  'Prometheus/2.48',
  'okhttp/4.12.0',
  'axios/1.6.2',
]

function accessLog(random, bytes) {
  let second = 0
  return fill(bytes, () => {
    second += random.below(4)
    const clock = `${two(6 + (Math.floor(second / 3600) % 18))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`
    const status = random.pick([200, 200, 200, 200, 204, 301, 304, 404, 499, 500])
    const size = random.below(40_000)
    return `10.42.${random.below(8)}.${random.below(255)} - - [${clock}] "GET ${random.pick(ROUTES)} HTTP/1.1" ${status} ${size} "${random.pick(AGENTS)}" rt=${(random.next() * 2).toFixed(3)}`
  })
}

const CRATES = [
  'libc',
  'memchr',
  'serde_core',
  'syn',
  'quote',
  'bytes',
  'mio',
  'tokio',
  'hyper',
  'rustls',
  'ring',
  'regex-automata',
  'indexmap',
  'hashbrown',
  'tracing',
  'clap_builder',
  'anyhow',
]

function buildLog(random, bytes) {
  return fill(bytes, (at) => {
    if (random.chance(0.1))
      return `warning: unused variable: \`${random.pick(['tmp', 'ctx', 'err', 'res', 'buf'])}\` --> src/${random.pick(['main', 'lib', 'net', 'cfg'])}.rs:${random.below(400)}:${random.below(60)}`
    return `[${two(at % 60)}.${random.below(900)}s] Compiling ${random.pick(CRATES)} v${random.below(3)}.${random.below(40)}.${random.below(20)}`
  })
}

const JAVA_PACKAGES = [
  'org.springframework.web.servlet',
  'org.apache.catalina.core',
  'org.hibernate.internal',
  'com.zaxxer.hikari.pool',
  'java.base/java.lang.reflect',
  'io.netty.channel',
  'org.springframework.aop.framework',
]
const JAVA_CLASSES = [
  'DispatcherServlet',
  'ApplicationFilterChain',
  'SessionImpl',
  'HikariPool',
  'Method',
  'AbstractChannel',
  'CglibAopProxy',
  'StandardWrapperValve',
]
const JAVA_METHODS = [
  'doFilter',
  'invoke',
  'doDispatch',
  'getConnection',
  'service',
  'proceed',
  'internalDoFilter',
  'run',
]

function javaTrace(random, bytes) {
  return fill(bytes, () => {
    const name = random.pick(JAVA_CLASSES)
    return `\tat ${random.pick(JAVA_PACKAGES)}.${name}.${random.pick(JAVA_METHODS)}(${name}.java:${random.below(1500)})`
  })
}

const NODE_FILES = [
  'express/lib/router/layer.js',
  'express/lib/router/index.js',
  'pg-pool/index.js',
  'next/dist/server/base-server.js',
  'undici/lib/core/request.js',
  '@nestjs/core/router/router-proxy.js',
  'rxjs/dist/cjs/internal/Observable.js',
]

function nodeTrace(random, bytes) {
  return fill(
    bytes,
    () =>
      `    at ${random.pick(['async ', ''])}${random.pick(['next', 'handle', 'Layer.handle_request', 'processTicksAndRejections', 'Object.onceWrapper', 'Pool.connect', 'trim_prefix'])} (/srv/app/node_modules/${random.pick(NODE_FILES)}:${random.below(600)}:${random.below(60)})`,
  )
}

const PYTHON_FILES = [
  'django/core/handlers/base.py',
  'sqlalchemy/engine/base.py',
  'celery/app/trace.py',
  'requests/adapters.py',
  'urllib3/connectionpool.py',
  'asyncio/base_events.py',
  'pandas/core/frame.py',
]

function pythonTrace(random, bytes) {
  return fill(bytes, (at) => {
    if (at % 2 === 1)
      return `    ${random.pick(['return self.fget(instance)', 'response = get_response(request)', 'raise exc_value', 'self._execute_context(dialect, statement)', 'return await future', 'conn.urlopen(method=request.method, url=url)'])}`
    return `  File "/usr/lib/python3.11/site-packages/${random.pick(PYTHON_FILES)}", line ${random.below(2500)}, in ${random.pick(['inner', '__call__', 'execute', '_run_once', 'send', 'wrapper', 'get_response'])}`
  })
}

const REASONS = [
  'Scheduled',
  'Pulled',
  'Created',
  'Started',
  'Killing',
  'SuccessfulCreate',
  'ScalingReplicaSet',
  'NodeReady',
  'Unhealthy',
]

function kubeEvents(random, bytes) {
  return fill(
    bytes,
    () =>
      `${random.below(59)}m  ${random.pick(['Normal', 'Normal', 'Warning'])}  ${random.pick(REASONS)}  pod/${random.pick(['web', 'worker', 'cron', 'gateway', 'search'])}-${hex(random, 9)}-${hex(random, 5)}  node-${random.below(12)}`,
  )
}

const PACKAGES = [
  'ansi-styles',
  'balanced-match',
  'braces',
  'chalk',
  'cross-spawn',
  'debug',
  'esbuild',
  'fill-range',
  'glob-parent',
  'is-glob',
  'js-tokens',
  'lodash',
  'micromatch',
  'ms',
  'nanoid',
  'picocolors',
  'postcss',
  'semver',
  'tslib',
  'which',
]

function diffOfLock(random, bytes) {
  return fill(bytes, () => {
    const version = () => `${random.below(9)}.${random.below(30)}.${random.below(12)}`
    const name = random.pick(PACKAGES)
    return `-    "node_modules/${name}": { "version": "${version()}", "integrity": "sha512-${hex(random, 24)}" },\n+    "node_modules/${name}": { "version": "${version()}", "integrity": "sha512-${hex(random, 24)}" },`
  })
}

function queryPlan(random, bytes) {
  return fill(bytes, (at) => {
    const indent = '  '.repeat(at % 6)
    const node = random.pick([
      'Seq Scan on',
      'Index Scan using',
      'Bitmap Heap Scan on',
      'Nested Loop on',
      'Hash Join on',
      'Sort on',
    ])
    const cost = random.below(90_000)
    return `${indent}->  ${node} ${random.pick(['events', 'invoices', 'accounts', 'line_items', 'audit'])}  (cost=0.${random.below(99)}..${cost}.${random.below(99)} rows=${random.below(50_000)} width=${random.below(300)}) (actual time=${random.below(900)}.${random.below(999)} loops=${1 + random.below(4)})`
  })
}

const SUITES = ['cart', 'checkout', 'auth', 'profile', 'search', 'upload', 'notifications', 'i18n', 'router']

function testOutput(random, bytes) {
  return fill(
    bytes,
    () =>
      `  ${random.pick(['✓', '✓', '✓', '✓', '-'])} ${random.pick(SUITES)} › ${random.pick(['renders', 'rejects', 'keeps', 'updates', 'restores'])} ${random.pick(['the empty state', 'a missing id', 'the last page', 'two tabs', 'a slow network', 'long names'])} (${random.below(900)} ms)`,
  )
}
