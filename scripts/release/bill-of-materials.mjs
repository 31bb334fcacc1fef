// The bill of materials (SBOM) of a release, as CycloneDX 1.6: what its packages are made of, by the two lock files.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIBRARIES, PROGRAM } from '../addons/libraries.mjs'

/** Returns the document. Development tools that leave nothing in a package are not part of it. */
export function billOfMaterials(root, { name, version, license }) {
  const component = {
    type: 'application',
    'bom-ref': `pkg:npm/${name}@${version}`,
    name,
    version,
    licenses: licence(license),
  }
  const components = [...crates(root), ...npmPackages(root)]
  components.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components }
}

const licence = (expression) => (expression ? [{ expression: expression.replaceAll('/', ' OR ') }] : [])

function npmPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const bundled = bundledNames(root)
  return Object.entries(packages)
    .map(([path, one]) => ({ ...one, name: path.split('node_modules/').at(-1) }))
    .filter(({ name, dev, link }) => name !== '' && !link && (!dev || bundled.has(name)))
    .map(({ name, version, license, integrity }) => ({
      type: 'library',
      'bom-ref': `pkg:npm/${name.replace('@', '%40')}@${version}`,
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: licence(license),
      ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
    }))
    .filter((one, at, all) => all.findIndex((other) => other['bom-ref'] === one['bom-ref']) === at)
}

/** The packages whose code was bundled: each has its licence in the package. */
function bundledNames(root) {
  const text = readFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  return new Set([...text.matchAll(/^(\S+) \d\S* \(.+\)$/gm)].map(([, name]) => name))
}

function hashOf(integrity) {
  const [kind, digest] = integrity.split('-')
  return { alg: kind === 'sha512' ? 'SHA-512' : 'SHA-1', content: Buffer.from(digest, 'base64').toString('hex') }
}

/** The crates that the libraries are linked from. */
function crates(root) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 }
  const { status, stdout, stderr } = spawnSync('cargo', ['metadata', '--locked', '--format-version', '1'], options)
  if (status !== 0) throw new Error(`cargo metadata failed: ${stderr}`)
  const { packages, resolve, workspace_members: members } = JSON.parse(stdout)
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]))
  const linked = new Set()
  const visit = (id) => {
    if (linked.has(id)) return
    linked.add(id)
    const normal = (dep) => dep.dep_kinds.some(({ kind }) => kind === null)
    for (const dep of nodes.get(id).deps.filter(normal)) visit(dep.pkg)
  }
  const roots = new Set([...LIBRARIES, PROGRAM].map(({ crate }) => crate))
  for (const { id, name } of packages) if (roots.has(name) && members.includes(id)) visit(id)
  return packages
    .filter(({ id }) => linked.has(id) && !members.includes(id))
    .map(({ name, version, license }) => ({
      type: 'library',
      'bom-ref': `pkg:cargo/${name}@${version}`,
      name,
      version,
      purl: `pkg:cargo/${name}@${version}`,
      licenses: licence(license),
    }))
}
