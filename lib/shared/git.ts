const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const PATIENCE_MS = 30_000

/** Overrides settings with which a repository could execute a program or change git's output. */
const PLAIN = ['core.fsmonitor=false', 'core.quotepath=false', 'log.showSignature=false', 'log.mailmap=false']

/** Runs git in an untrusted folder, and resolves with its output. Rejects when it fails or is not installed. */
export function runGit(folder: string, args: string[], signal?: AbortSignal): Promise<Buffer> {
  const settings = PLAIN.flatMap((setting) => ['-c', setting])
  const options = {
    cwd: folder,
    encoding: 'buffer' as const,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: PATIENCE_MS,
    windowsHide: true,
    ...(signal === undefined ? {} : { signal }),
  }
  const { execFile } = process.getBuiltinModule('node:child_process')
  return new Promise((resolve, reject) => {
    execFile('git', [...settings, ...args], options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}
