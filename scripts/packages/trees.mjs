// The files of each package, by path. Those that hosts install from the repository are committed.
import { hooksOf, identity, instructions, launch, NAME, skillFiles } from './model.mjs'

const json = (object) => `${JSON.stringify(object, null, 2)}\n`
const { name, version, description, author, homepage, repository, license, keywords } = identity
const about = { name, version, description, author, homepage, repository, license, keywords }
const servers = (more = {}) => json({ mcpServers: { [NAME]: { ...more, ...launch } } })
const text = `${instructions.join('\n')}\n`

/** Claude Code; Junie and Qwen Code install it as well. */
function claude() {
  return {
    '.claude-plugin/plugin.json': json({
      $schema: 'https://json.schemastore.org/claude-code-plugin-manifest.json',
      ...about,
    }),
    '.mcp.json': servers({ type: 'stdio' }),
    'hooks/hooks.json': json({ description: 'What is known, at the moment it matters', ...hooksOf('claude') }),
    ...skillFiles(),
  }
}

/** Copilot CLI, and with it Visual Studio Code. */
function copilot() {
  const { version: format, hooks } = hooksOf('copilot-cli')
  return {
    '.plugin/plugin.json': json({
      ...about,
      hooks: './hooks/hooks.json',
      mcpServers: './.mcp.json',
      skills: './skills/',
    }),
    '.mcp.json': servers({ type: 'stdio' }),
    'hooks/hooks.json': json({ version: format, hooks }),
    ...skillFiles(),
  }
}

function codex() {
  const shown = {
    displayName: 'Forge Memory',
    shortDescription: description,
    category: 'Productivity',
  }
  return {
    '.codex-plugin/plugin.json': json({ ...about, skills: './skills/', mcpServers: './.mcp.json', interface: shown }),
    '.mcp.json': json({ [NAME]: launch }),
    'hooks/hooks.json': json(hooksOf('codex')),
    ...skillFiles(),
  }
}

function cursor() {
  return {
    '.cursor-plugin/plugin.json': json(about),
    'mcp.json': servers({ type: 'stdio' }),
    'hooks/hooks.json': json(hooksOf('cursor')),
    [`rules/${NAME}.mdc`]: `---\ndescription: The memory of this project\nalwaysApply: true\n---\n\n${text}`,
    ...skillFiles(),
  }
}

function gemini() {
  return {
    'gemini-extension.json': json({
      name,
      version,
      description,
      mcpServers: { [NAME]: launch },
      contextFileName: 'GEMINI.md',
    }),
    'hooks/hooks.json': json(hooksOf('gemini')),
    'GEMINI.md': text,
    ...skillFiles(),
  }
}

/** The portable format, without hooks: Kiro, Devin, and other hosts that read it. */
function portable() {
  const schema = (kind) => `https://agent-plugins.org/schemas/1.0.0/${kind}.schema.json`
  return {
    'plugin.json': json({ $schema: schema('plugin'), ...about }),
    'mcp.json': json({ $schema: schema('mcp'), mcpServers: { [NAME]: { type: 'stdio', ...launch } } }),
    ...skillFiles(),
  }
}

/** The marketplace files, in which hosts look for the packages of a repository. */
function marketplaces() {
  const owner = { name: author.name }
  const entry = { name, description, version }
  const codexEntry = {
    name,
    source: { source: 'local', path: './packages/codex' },
    policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
    category: 'Productivity',
  }
  return {
    '.claude-plugin/marketplace.json': json({
      name,
      description,
      owner,
      plugins: [{ ...entry, source: './packages/claude' }],
    }),
    '.github/plugin/marketplace.json': json({
      name,
      description,
      owner,
      plugins: [{ ...entry, source: './packages/copilot' }],
    }),
    '.cursor-plugin/marketplace.json': json({
      name,
      owner,
      plugins: [{ name, source: './packages/cursor', description }],
    }),
    '.agents/plugins/marketplace.json': json({
      name,
      interface: { displayName: 'Forge Memory' },
      plugins: [codexEntry],
    }),
  }
}

/** Returns the committed files, by their path in the repository. */
export function committedFiles() {
  const folders = { claude, copilot, codex, cursor, gemini, 'agent-plugin': portable }
  const packages = Object.entries(folders).flatMap(([folder, files]) =>
    Object.entries(files()).map(([path, content]) => [`packages/${folder}/${path}`, content]),
  )
  return { ...Object.fromEntries(packages), ...marketplaces() }
}

/** Returns the entry for the MCP registry, with the bundle if it was built. */
export function serverJson(bundle) {
  const npm = {
    registryType: 'npm',
    identifier: name,
    version,
    transport: { type: 'stdio' },
    packageArguments: [{ type: 'positional', value: 'mcp' }],
  }
  const release = `${repository}/releases/download/v${version}`
  const mcpb = bundle && {
    registryType: 'mcpb',
    identifier: `${release}/${bundle.file}`,
    fileSha256: bundle.sha256,
    transport: { type: 'stdio' },
  }
  return json({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: identity.mcpName,
    title: 'Forge Memory',
    description,
    version,
    websiteUrl: homepage,
    repository: { url: repository, source: 'github' },
    packages: mcpb ? [npm, mcpb] : [npm],
  })
}
