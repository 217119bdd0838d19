import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Random } from '../test/corpus/random.js';

const PACKAGES = 40;
const KINDS = ['src', 'src', 'src', 'test', 'docs'];
const PARTS = 12;

/** A repository as large ones are: packages of many folders, files of all sizes, some of them not yet added. */
export function makeRepository(root: string, files: number): void {
  const random = new Random('context-bench');
  const text = readSources();
  const write = (path: string, content: string) => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true });
    fs.writeFileSync(join(root, path), content);
  };
  write('.gitignore', 'node_modules/\ndist/\n*.log\n');
  write('README.md', '# A large project\n');
  for (let i = 0; i < PACKAGES; i++) write(`packages/${packageName(i)}/package.json`, `{ "name": "${i}" }\n`);
  for (let i = PACKAGES + 2; i < files; i++) {
    const kind = random.pick(KINDS);
    const folder = `packages/${packageName(i % PACKAGES)}/${kind}/part-${two(random.below(PARTS))}`;
    // From some hundred bytes to some ten thousand, 5 KB on average.
    const size = Math.round(300 * Math.exp(random.next() * 4.4));
    const from = random.below(text.length - size);
    write(`${folder}/file-${i}.${kind === 'docs' ? 'md' : 'ts'}`, `${text.slice(from, from + size)}\n`);
  }
  for (let i = 0; i < 200; i++) write(`packages/${packageName(i % PACKAGES)}/dist/file-${i}.js`, 'made\n');
  const git = (...words: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=B', '-c', 'user.email=b@example.org', '-c', 'gc.auto=0', ...words],
      {
        cwd: root,
        stdio: 'ignore',
      },
    );
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'all of it');
  git('rm', '-q', '--cached', `packages/${packageName(0)}/package.json`);
}

/** Our own sources: text as source code has it. */
function readSources(): string {
  const paths = fs.readdirSync('src', { recursive: true, encoding: 'utf8' }).sort();
  const sources = paths
    .filter((path) => path.endsWith('.ts'))
    .map((path) => fs.readFileSync(join('src', path), 'utf8'));
  return sources.join('');
}

function packageName(i: number): string {
  return `package-${two(i)}`;
}

function two(i: number): string {
  return String(i).padStart(2, '0');
}
