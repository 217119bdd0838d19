import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { builtinModules } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PLAN } from '../cli/teddy.js';
import { makeFolder } from '../folder.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

let made: readonly { path: string; text: string }[];
let packages: Map<string, Set<string>>;

beforeAll(async () => {
  const { bundleDist } = await import(join(ROOT, 'scripts/dist.mjs'));
  const { bundledPackages } = await import(join(ROOT, 'scripts/notices.mjs'));
  const { files, metafiles } = await bundleDist();
  made = files;
  packages = bundledPackages(metafiles);
});

test('the same sources give the same files', () => {
  const built = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.cjs$|^page\//.test(name),
  );
  expect(made.map(({ path }) => relative(join(ROOT, 'dist'), path)).sort()).toEqual(built.sort());
  for (const { path, text } of made) expect(readFileSync(path, 'utf8') === text, path).toBe(true);
});

describe('nothing is loaded that is not part of the program', () => {
  const scripts = () =>
    readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:js|cjs|mjs)$/.test(path))
      .map((path) => join(ROOT, 'dist', path));
  // Also where a library hides it behind another name: `nodeRequire("x")`.
  const LOADED =
    /(?:\b[\w$]*require(?:\.resolve)?|\bimport)\s*\(\s*(["'`])([^"'`\n]*)\1|\bfrom\s*"([^"\n]*)";/gi;

  test('by a name that is in the code', () => {
    expect(scripts().length).toBeGreaterThan(100);
    for (const path of scripts()) {
      const names = [...readFileSync(path, 'utf8').matchAll(LOADED)].map(([, , call, from]) => call ?? from!);
      for (const name of new Set(names)) expect(isPart(name, path), `${path}: ${name}`).toBe(true);
    }
  });

  test('by a name that is made at run time, but for kernel locks and pseudo-terminals', () => {
    const DYNAMIC = /\b[\w$]*require(?:\.resolve)?\(\s*[^"'`)\s][^)]{0,60}\)|\brequire\(`[^`]*\$\{[^)]*\)/g;
    const known =
      /^(?:require\(PACKAGE\)|require\.resolve\(`\$\{PACKAGE\}|createRequire\((?:__filename|import\.meta\.url)|require\(`\$\{base\}|require\(`\$\{PTY_PACKAGE\}-|createRequire\(getCurrentModulePath\(\))/;
    for (const path of scripts()) {
      for (const [call] of readFileSync(path, 'utf8').matchAll(DYNAMIC)) {
        expect(known.test(call), `${path}: ${call}`).toBe(true);
      }
    }
  });

  function isPart(name: string, path: string): boolean {
    if (name.startsWith('.')) return existsSync(join(dirname(path), name));
    return builtinModules.includes(name.replace(/^node:/, '')) || name in dependencies;
  }

  test('from a project that it is installed in, whose packages a plan can write', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<p>A <b>page</b> with a <canvas></canvas>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const action = `### \`READ\`\n- **Resource:** [a page](${url})\n- **Description:** Read it.\n`;
    const folder = makeFolder({
      'project/plan.md': PLAN.replace(/### `CHAT_WITH_USER`[\s\S]*/, action),
      'project/.teddy/config.yaml': 'read:\n  allowPrivate: true\n',
    });
    const modules = join(folder, 'project/node_modules');
    for (const part of ['bin', 'dist', 'package.json']) {
      cpSync(join(ROOT, part), join(modules, 'teddy-cli', part), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules/fs-native-extensions'), join(modules, 'fs-native-extensions'));
    for (const name of ['canvas', '@mixmark-io/domino', 'undici', 'linkedom', 'turndown']) {
      mkdirSync(join(modules, name), { recursive: true });
      const mark = JSON.stringify(join(folder, `loaded-${name.replace('/', '-')}`));
      writeFileSync(join(modules, name, 'index.js'), `require('fs').writeFileSync(${mark}, '')`);
    }
    const child = spawn(
      process.execPath,
      [join(modules, 'teddy-cli/bin/teddy.cjs'), 'execute', 'plan.md', '--yes', '--no-copy', '--trust'],
      {
        cwd: join(folder, 'project'),
        env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: folder },
        detached: true,
      },
    );
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        printed += text;
      });
    }
    await new Promise((resolve) => child.once('close', resolve));
    expect(printed).toContain('A **page** with a');
    expect(readdirSync(folder).filter((name) => name.startsWith('loaded'))).toEqual([]);
  });
});

describe('the licences of what is bundled', () => {
  const notices = () => readFileSync(join(ROOT, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');

  test('name every package that has code in a bundle, with a text', () => {
    expect(packages.size).toBeGreaterThan(10);
    const entries = notices()
      .split(/^={78}\n/m)
      .slice(1);
    for (const folder of packages.keys()) {
      const { name, version } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      const entry = entries.find((text) => text.startsWith(`${name} ${version} (`));
      expect(entry, folder).toMatch(/copyright/i);
      expect(entry, folder).toMatch(/permission|redistribut|licensed under/i);
    }
    // And the text of the licence that many of them only refer to.
    expect(entries).toHaveLength(new Set(entries.map((text) => text.split('\n')[0])).size);
    expect(notices()).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
  });

  test('are made the same way each time, and not without a text', async () => {
    const { writeNotices } = await import(join(ROOT, 'scripts/notices.mjs'));
    expect(writeNotices(new Map([...packages].reverse()))).toBe(notices());
    expect(() => writeNotices(new Map([['test/package/unlicensed', new Set()]]))).toThrow('no licence text');
  });

  test('are in the package', () => {
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stdout).toContain('dist/THIRD-PARTY-NOTICES.txt');
    expect(stdout).toContain('dist/page-worker.cjs');
  });
});
