import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLIENT_ENTRIES } from '../../../src/faces/cli/commands/connect/client-entries.js';
import { makeFolder, readTree } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';

const CLIENTS = Object.keys(CLIENT_ENTRIES);

/** What is in the project besides what teddy keeps of its own. */
function projectFiles(cwd: string): Record<string, string> {
  const own = /^\.(?:teddy|local|cache)\//;
  return Object.fromEntries(Object.entries(readTree(cwd)).filter(([path]) => !own.test(path)));
}

describe.each(CLIENTS)('connect %s', (client) => {
  const { config, skill, has } = CLIENT_ENTRIES[client]!;

  test('adds the server and the skill, and removes them again', () => {
    const cwd = makeFolder();
    expect(teddy(['connect', client, '--dry-run'], { cwd }).stdout).toContain(`+++ b/${skill}`);
    expect(projectFiles(cwd)).toEqual({});
    expect(teddy(['connect', client, '--yes'], { cwd })).toMatchObject({ exit: 0 });
    expect(Object.keys(projectFiles(cwd)).sort()).toEqual([config[0]!, skill].sort());
    expect(has(readFileSync(join(cwd, config[0]!), 'utf8'))).toBe(true);
    expect(teddy(['connect', client, '--yes'], { cwd }).stdout).toBe(
      `${client} is already connected here.\n`,
    );
    expect(teddy(['connect', client, '--remove', '--yes'], { cwd })).toMatchObject({ exit: 0 });
    expect(readdirSync(cwd)).toEqual(['.teddy']);
  });
});

test('cursor is told which project its server is for', () => {
  const cwd = makeFolder();
  teddy(['connect', 'cursor', '--yes'], { cwd });
  const { teddy: server } = JSON.parse(readFileSync(join(cwd, '.cursor/mcp.json'), 'utf8')).mcpServers;
  expect(server.command).toBe('teddy');
  expect(server.args.join(' ')).toMatch(/^mcp --root \$\{workspaceFolder\}$/);
});

/** What the settings of a client may be before it is connected. */
const SETTINGS: Record<string, string[]> = {
  '.toml': [
    '',
    '\n',
    'model = "m"',
    'model = "m"\n',
    'model = "m"\n\n\n',
    '# mine\r\nmodel = "m"\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
    '[mcp_servers.other]\r\ncommand = "x"',
  ],
  '.json': [
    '',
    '{}',
    '{}\n',
    '{\n  "mcp": {},\n  "mcpServers": {}\n}\n',
    '\ufeff{\r\n  // mine\r\n  "mcpServers": {\r\n    "other": {"command": "x"} // keep\r\n  }\r\n}\r\n',
    '{\n  "a": 1 // mine\n}',
  ],
};

test.each(CLIENTS)('what was there is there again, byte for byte, without %s', (client) => {
  const { config, skill } = CLIENT_ENTRIES[client]!;
  const words = ['connect', client, '--yes', '--agents-md'];
  for (const [at, text] of SETTINGS[config[0]!.endsWith('.toml') ? '.toml' : '.json']!.entries()) {
    const files = {
      [config[0]!]: text,
      'AGENTS.md': ['# Ours\n', '# Ours', '', '# Ours\r\n'][at % 4]!,
      [`${dirname(dirname(skill))}/mine/SKILL.md`]: 'x',
    };
    const cwd = makeFolder(files);
    expect(teddy(words, { cwd })).toMatchObject({ exit: 0 });
    expect(Object.keys(projectFiles(cwd))).toHaveLength(4);
    expect(teddy([...words, '--remove'], { cwd })).toMatchObject({ exit: 0 });
    expect(projectFiles(cwd)).toEqual(files);
    expect(existsSync(join(cwd, dirname(skill)))).toBe(false);
  }
});

test('below a link inside the project, it is removed where the link leads', () => {
  const cwd = makeFolder({ '.agents/skills/mine/SKILL.md': 'x' });
  mkdirSync(join(cwd, '.claude'));
  symlinkSync('../.agents/skills', join(cwd, '.claude/skills'));
  teddy(['connect', 'claude', '--yes'], { cwd });
  expect(existsSync(join(cwd, '.agents/skills/teddy/SKILL.md'))).toBe(true);
  expect(teddy(['connect', 'claude', '--remove', '--yes'], { cwd })).toMatchObject({ exit: 0 });
  expect(readdirSync(join(cwd, '.agents/skills'))).toEqual(['mine']);
});

test('a file that cannot be edited safely is left alone, and the entry is shown', () => {
  for (const [path, text] of [
    ['.gemini/settings.json', '{"mcpServers": [}'],
    ['.codex/config.toml', 'mcp_servers = {}\n'],
  ] as const) {
    const cwd = makeFolder({ [path]: text });
    const { exit, stderr } = teddy(['connect', path.includes('gemini') ? 'gemini' : 'codex', '--yes'], {
      cwd,
    });
    expect(exit).toBe(2);
    expect(stderr).toContain('Add this yourself');
    expect(projectFiles(cwd)).toEqual({ [path]: text });
  }
});

test('a link that leads out of the project is not followed', () => {
  const outside = makeFolder({ 'settings.json': '{}' });
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'x'));
  symlinkSync(outside, join(cwd, '.gemini'));
  expect(teddy(['connect', 'gemini', '--yes'], { cwd }).exit).toBe(2);
  expect(readTree(outside)).toEqual({ 'settings.json': '{}' });
});

test('instructions in AGENTS.md are added below what is there, and removed again', () => {
  const cwd = makeFolder({ 'AGENTS.md': '# Ours\n\nText.\n' });
  teddy(['connect', 'codex', '--agents-md', '--yes'], { cwd });
  const text = readFileSync(join(cwd, 'AGENTS.md'), 'utf8');
  expect(text).toMatch(/^# Ours\n\nText\.\n\n<!-- teddy: start -->\n# Propose through teddy\n/);
  teddy(['connect', 'codex', '--agents-md', '--remove', '--yes'], { cwd });
  expect(readFileSync(join(cwd, 'AGENTS.md'), 'utf8')).toBe('# Ours\n\nText.\n');
});

test('without a terminal it needs --yes', () => {
  const cwd = makeFolder();
  expect(teddy(['connect', 'claude'], { cwd })).toMatchObject({ exit: 2 });
  expect(projectFiles(cwd)).toEqual({});
});

test.skipIf(noPython)(`it shows the diff and asks${noPython}`, async () => {
  const cwd = makeFolder();
  const words = [process.execPath, TEDDY, 'connect', 'claude'];
  const terminal = new TestTerminal(words, { cwd, columns: 100, rows: 90 });
  await terminal.shows(/Connect claude to teddy\?[\s\S]*\.mcp\.json[\s\S]*y make these changes/);
  terminal.send('n');
  await terminal.ended;
  expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
});

test('--check names what is installed, and whether its version was tested', () => {
  const cwd = makeFolder();
  const bin = makeFolder();
  for (const [name, version] of [
    ['claude', '2.1.325 (Claude Code)'],
    ['codex', 'codex-cli 99.0.0'],
    ['opencode', '1.2.27'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho '${version}'\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  expect(JSON.parse(teddy(['connect', '--check', '--json'], { cwd, env }).stdout)).toMatchObject([
    { client: 'claude', version: '2.1.325', connected: false, preset: 'tested' },
    { client: 'codex', version: '99.0.0', preset: 'untested' },
    { client: 'gemini', version: null, preset: null },
    { client: 'opencode', version: '1.2.27', preset: 'unsupported' },
    { client: 'cursor', version: null, preset: null },
  ]);
});

test('the tested versions are those of the recorded outputs', () => {
  const folders = readdirSync(join(import.meta.dirname, '../../../spec/clients/recorded'));
  const recorded = Object.entries(CLIENT_ENTRIES).flatMap(([client, entry]) =>
    entry.recorded.map((version) => `${client}-${version}`),
  );
  expect(recorded.sort()).toEqual(folders.filter((name) => name !== 'README.md').sort());
});

test('the skill has less than 900 tokens, at four characters each', () => {
  const path = '../../../src/faces/cli/commands/connect/SKILL.md';
  const skill = readFileSync(join(import.meta.dirname, path), 'utf8');
  expect(Math.ceil(skill.length / 4)).toBeLessThan(900);
  expect(skill).toMatch(/^---\nname: teddy\ndescription: .{1,1024}\n---\n/);
});
