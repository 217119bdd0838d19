import { addMember, memberText, removeMember } from '../../../../core/json/edit-member.js';
import { appendBlock, removeBlock } from './text-block.js';

/** Where a client looks for what it should know of teddy in a project, and how it writes an MCP server. */
export interface ClientEntry {
  /** Its program. */
  program: string;
  /** From the root, in the order in which the client reads them: the first that exists is edited, otherwise made. */
  config: readonly string[];
  skill: string;
  /** Versions whose outputs teddy was tested with; empty for clients that are no executors. */
  recorded: readonly string[];
  /** Of these, versions that refuse the flags of the preset. */
  refusing?: readonly string[];
  /** `text` is null where there is no file. Undefined where it cannot be edited safely. */
  add(text: string | null): string | undefined;
  /** The text as it was before, null where there was no file. */
  remove(text: string): string | null | undefined;
  has(text: string): boolean;
  /** What to write by hand where the file cannot be edited safely. */
  entry: string;
}

const NAME = 'teddy';
const SERVER = { command: 'teddy', args: ['mcp'] };

function jsonEntry(group: string, value: object) {
  return {
    add: (text: string | null) => addMember(text, group, NAME, value),
    remove: (text: string) => removeMember(text, group, NAME),
    has: (text: string) => memberText(text, group, NAME) !== undefined,
    entry: JSON.stringify({ [group]: { [NAME]: value } }, null, 2),
  };
}

/** codex starts servers with few variables: without these, another key would seal what its agents submit. */
const TABLE = `[mcp_servers.teddy]
command = "teddy"
args = ["mcp"]
env_vars = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]`;
const HEADER = /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?teddy["']?[ \t]*[\].]/m;
/** Forms of TOML in which a table at the end would not be what it looks like. */
const UNSAFE = /"""|'''|^[ \t]*mcp_servers(?:[ \t]*=|\.teddy\b)/m;

/** A table at the end of a TOML file; only exactly that is removed. */
const TOML = {
  add: (text: string | null) =>
    HEADER.test(text ?? '') || UNSAFE.test(text ?? '') ? undefined : appendBlock(text, TABLE),
  remove(text: string): string | null | undefined {
    const found = [TABLE, TABLE.replaceAll('\n', '\r\n')].find((table) => text.includes(table));
    if (found === undefined) return undefined;
    const start = text.indexOf(found);
    return removeBlock(text, start, start + found.length);
  },
  has: (text: string) => HEADER.test(text),
  entry: TABLE,
};

export const CLIENT_ENTRIES: Readonly<Record<string, ClientEntry>> = {
  claude: {
    program: 'claude',
    config: ['.mcp.json'],
    skill: '.claude/skills/teddy/SKILL.md',
    recorded: ['1.0.128', '2.0.77', '2.1.197', '2.1.325', '2.1.327', '2.1.328'],
    ...jsonEntry('mcpServers', SERVER),
  },
  codex: {
    program: 'codex',
    config: ['.codex/config.toml'],
    skill: '.agents/skills/teddy/SKILL.md',
    recorded: ['0.60.1', '0.104.0', '0.166.0', '0.169.0'],
    ...TOML,
  },
  gemini: {
    program: 'gemini',
    config: ['.gemini/settings.json'],
    skill: '.gemini/skills/teddy/SKILL.md',
    recorded: ['0.20.2', '0.35.3', '0.61.0'],
    ...jsonEntry('mcpServers', SERVER),
  },
  opencode: {
    program: 'opencode',
    config: ['opencode.json', 'opencode.jsonc'],
    skill: '.opencode/skills/teddy/SKILL.md',
    recorded: ['1.1.65', '1.2.27', '1.14.41', '1.18.33'],
    refusing: ['1.1.65', '1.2.27'],
    ...jsonEntry('mcp', { type: 'local', command: ['teddy', 'mcp'], enabled: true }),
  },
  cursor: {
    program: 'cursor-agent',
    config: ['.cursor/mcp.json'],
    skill: '.cursor/skills/teddy/SKILL.md',
    recorded: [],
    // It may start servers outside the project, and replaces this by its folder.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of its settings
    ...jsonEntry('mcpServers', { ...SERVER, args: ['mcp', '--root', '${workspaceFolder}'] }),
  },
};
