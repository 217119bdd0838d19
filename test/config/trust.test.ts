import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { DEFAULTS, parseConfig } from '../../src/config/config-file.js';
import { initProject } from '../../src/config/init.js';
import { parsePolicy } from '../../src/config/policy-file.js';
import { checkTrust, loadProject, trustProject } from '../../src/config/project.js';
import { makeFolder } from '../folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let home: string;
beforeEach(() => {
  home = makeFolder();
  vi.stubEnv('XDG_STATE_HOME', home);
  return () => vi.unstubAllEnvs();
});

const CONFIG = 'execute: {timeout: 5m}\n';
const POLICY = 'rules: [{allow: READ}]\n';
const BOTH = { '.teddy/config.yaml': CONFIG, '.teddy/policy.yaml': POLICY };

describe('a project', () => {
  test('without files has the defaults, and nothing to trust', async () => {
    const root = makeFolder();
    const project = await loadProject(root);
    expect(project).toEqual({
      status: 'loaded',
      root: realpathSync(root),
      files: [],
      config: DEFAULTS,
      policy: { rules: [] },
    });
    expect(checkTrust(project).trusted).toBe(true);
    expect(readdirSync(home)).toEqual([]);
  });

  test('is what its files say', async () => {
    const project = await loadProject(makeFolder(BOTH));
    expect(project).toMatchObject({
      status: 'loaded',
      config: { execute: { timeoutMs: 300_000 } },
      policy: { rules: [{ verb: 'allow' }] },
    });
    expect(project.files.map(({ path, text }) => ({ path, text }))).toEqual([
      { path: '.teddy/config.yaml', text: CONFIG },
      { path: '.teddy/policy.yaml', text: POLICY },
    ]);
  });

  test('has every problem of both files, and is none without them', async () => {
    const root = makeFolder({ '.teddy/config.yaml': 'foo: 1\n', '.teddy/policy.yaml': 'bar: 1\n' });
    const project = await loadProject(root);
    expect(project.status === 'refused' && project.problems.map(({ file }) => file)).toEqual([
      '.teddy/config.yaml',
      '.teddy/policy.yaml',
    ]);
    expect(project.files).toHaveLength(2);
  });

  test('cannot hide its policy behind something that is no file', async () => {
    const outside = makeFolder({ 'policy.yaml': POLICY });
    for (const hide of [
      (path: string) => mkdirSync(path),
      (path: string) => symlinkSync(join(outside, 'policy.yaml'), path),
      (path: string) => symlinkSync('nowhere', path),
      (path: string) => writeFileSync(path, new Uint8Array([0xff, 0xfe, 0x00])),
    ]) {
      const root = makeFolder({ '.teddy/config.yaml': CONFIG });
      hide(join(root, '.teddy/policy.yaml'));
      expect(await loadProject(root)).toMatchObject({
        status: 'refused',
        problems: [{ file: '.teddy/policy.yaml', line: null }],
      });
    }
  });

  test('has defaults of its own', async () => {
    const first = await loadProject(makeFolder());
    if (first.status === 'loaded') first.config.plans.glob.push('x');
    expect(await loadProject(makeFolder())).toMatchObject({ config: DEFAULTS });
    expect(DEFAULTS.plans.glob).not.toContain('x');
  });
});

describe('trust', () => {
  test('is asked for once, and again after every change', async () => {
    const root = makeFolder(BOTH);
    const project = await loadProject(root);
    expect(checkTrust(project)).toEqual({
      trusted: false,
      unseen: project.files,
      removed: [],
      changed: false,
      note: null,
    });
    trustProject(project);
    expect(checkTrust(await loadProject(root)).trusted).toBe(true);
    writeFileSync(join(root, '.teddy/policy.yaml'), `${POLICY} `);
    const changed = await loadProject(root);
    expect(checkTrust(changed).unseen.map(({ path }) => path)).toEqual(['.teddy/policy.yaml']);
    expect(checkTrust(changed).changed).toBe(true);
    trustProject(changed);
    expect(checkTrust(await loadProject(root)).trusted).toBe(true);
    expect(checkTrust(project).trusted).toBe(false);
  });

  test('is asked for again when a file is gone: what it forbade is allowed now', async () => {
    const root = makeFolder(BOTH);
    trustProject(await loadProject(root));
    rmSync(join(root, '.teddy/policy.yaml'));
    expect(checkTrust(await loadProject(root))).toMatchObject({
      trusted: false,
      unseen: [],
      removed: ['.teddy/policy.yaml'],
      changed: true,
    });
    rmSync(join(root, '.teddy/config.yaml'));
    expect(checkTrust(await loadProject(root)).trusted).toBe(false);
    trustProject(await loadProject(root));
    expect(checkTrust(await loadProject(root)).trusted).toBe(true);
  });

  test('does not reach a file that came later, nor another root', async () => {
    const root = makeFolder({ '.teddy/config.yaml': CONFIG });
    trustProject(await loadProject(root));
    writeFileSync(join(root, '.teddy/policy.yaml'), POLICY);
    expect(checkTrust(await loadProject(root)).trusted).toBe(false);
    expect(checkTrust(await loadProject(makeFolder({ '.teddy/config.yaml': CONFIG }))).trusted).toBe(false);
  });

  test('is by real path', async () => {
    const root = makeFolder(BOTH);
    const link = join(makeFolder(), 'link');
    symlinkSync(root, link);
    trustProject(await loadProject(link));
    expect(checkTrust(await loadProject(root)).trusted).toBe(true);
  });

  test("lies in the user's folder, for nobody else, and nothing is left beside it", async () => {
    const root = makeFolder(BOTH);
    for (let times = 0; times < 3; times++) trustProject(await loadProject(root));
    const folder = join(home, 'teddy/trust');
    const [name, ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
    expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(join(folder, name!), 'utf8')).root).toBe(realpathSync(root));
  });

  test.each(['', '{', 'null', '[]', '{"root": "/elsewhere", "files": {}}', '{"files": null}', '\u0000'])(
    'a record that says %j counts for nothing',
    async (damage) => {
      const project = await loadProject(makeFolder(BOTH));
      trustProject(project);
      const folder = join(home, 'teddy/trust');
      writeFileSync(join(folder, readdirSync(folder)[0]!), damage);
      const { trusted, note } = checkTrust(project);
      expect(trusted).toBe(false);
      expect(note).toMatch(/damaged/);
      trustProject(project);
      expect(checkTrust(project)).toEqual({
        trusted: true,
        unseen: [],
        removed: [],
        changed: false,
        note: null,
      });
    },
  );

  test('without a home there is no place for it, and that is said', async () => {
    const project = await loadProject(makeFolder(BOTH));
    vi.stubEnv('XDG_STATE_HOME', '');
    vi.stubEnv('HOME', '');
    expect(() => checkTrust(project)).toThrow(/Neither HOME nor XDG_STATE_HOME/);
    expect(checkTrust(await loadProject(makeFolder())).trusted).toBe(true);
  });

  test('many who write at once lose nothing', async () => {
    const projects = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        loadProject(makeFolder({ '.teddy/config.yaml': `runs: {keep: ${at + 1}}\n` })),
      ),
    );
    const worker = join(makeFolder(), 'worker.mjs');
    await build({
      stdin: {
        contents: `import { writeUserState } from './src/node/user-folders.ts';
          const [name, text] = process.argv.slice(2);
          for (let times = 0; times < 20; times++) writeUserState('trust', name, text);`,
        resolveDir: ROOT,
      },
      outfile: worker,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'warning',
    });
    const folder = join(home, 'teddy/trust');
    const [first] = projects;
    trustProject(first!);
    const [name] = readdirSync(folder);
    const text = readFileSync(join(folder, name!), 'utf8');
    const children = [1, 2, 3, 4].map(() =>
      spawn(process.execPath, [worker, name!, text], { stdio: 'inherit' }),
    );
    const ended = Promise.all(children.map((child) => once(child, 'exit')));
    for (const project of projects) trustProject(project);
    expect(await ended).toEqual(children.map(() => [0, null]));
    expect(readdirSync(folder)).toHaveLength(projects.length);
    expect(projects.map((project) => checkTrust(project).trusted)).toEqual(projects.map(() => true));
  });
});

describe('teddy init', () => {
  const ready = () => {
    const init = initProject(makeFolder());
    if (init.status !== 'ready') throw new Error(init.reason);
    return init;
  };
  const uncomment = (text: string) => text.replace(/^# ?/gm, '');

  test('writes files that change nothing, and that are trusted as written', async () => {
    const init = ready();
    for (const { path, text } of init.files) {
      mkdirSync(join(init.root, '.teddy'), { recursive: true });
      writeFileSync(join(init.root, path), text);
    }
    trustProject(init);
    const project = await loadProject(init.root);
    expect(project).toMatchObject({ status: 'loaded', config: DEFAULTS, policy: { rules: [] } });
    expect(checkTrust(project).trusted).toBe(true);
  });

  test('every line of the config can be taken in, and is the default where there is one', async () => {
    const [config] = ready().files;
    const read = await parseConfig(uncomment(config!.text));
    if (read.status === 'refused') throw new Error(JSON.stringify(read.problems));
    const {
      research,
      model,
      executors,
      capture,
      orchestrate,
      verify: _v,
      landing: _l,
      ...others
    } = read.config;
    const { research: _r, model: _m, executors: _e, capture: _c, orchestrate: _o, ...rest } = DEFAULTS;
    const { verify: _d, landing: _g, ...defaults } = rest;
    expect(others).toEqual(defaults);
    const { jobs, maxAttempts, taskTimeMs } = DEFAULTS.orchestrate;
    expect(orchestrate).toMatchObject({ jobs, maxAttempts, taskTimeMs });
    expect(Object.values(orchestrate)).not.toContain(null);
    expect(capture.dir).toBe(DEFAULTS.capture.dir);
    expect([research, model, executors].every((each) => each !== null)).toBe(true);
  });

  test('every key stands in it, with a word about it', async () => {
    const [config] = ready().files;
    for (const line of config!.text.split('\n').filter((each) => /^# +\w+: \S/.test(each))) {
      expect(line).toMatch(/ {2}# \S/);
    }
    for (const key of Object.keys(DEFAULTS))
      expect(config!.text).toMatch(new RegExp(`^# ${key}:(?:$| \\w)`, 'm'));
  });

  test('every line of the policy can be taken in', async () => {
    const [, policy] = ready().files;
    const read = await parsePolicy(uncomment(policy!.text));
    expect(read.status === 'policy' && read.policy.rules.length).toBeGreaterThan(4);
  });

  test('no file is written over', () => {
    expect(initProject(makeFolder(BOTH))).toEqual({
      status: 'refused',
      reason: '.teddy/config.yaml and .teddy/policy.yaml already exist. Nothing was written.',
    });
    expect(initProject(makeFolder({ '.teddy/policy.yaml': '' }))).toMatchObject({ status: 'refused' });
  });
});
