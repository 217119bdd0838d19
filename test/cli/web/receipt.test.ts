import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, editAction, executeAction, planOf } from '../execute/program.js';
import { teddy } from '../teddy.js';

const NASTY = '<script>alert(1)</script><img src=x onerror=alert(1)>\u202e"\'&amp;';

test('a receipt is one file: what was proposed, decided and done, with hashes, and nothing in it acts', () => {
  const plan = planOf(NASTY, createAction('a.txt', `${NASTY}\n`), executeAction("printf '<b>%s</b>' hello"));
  const cwd = makeFolder({ 'plan.md': plan.replace('A file.', NASTY), '.git/HEAD': '' });
  expect(teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd })).toMatchObject({ exit: 0 });
  expect(teddy(['report', '--format', 'html', '--output', 'r.html'], { cwd })).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: 'Wrote r.html.\n',
  });
  const html = readFileSync(join(cwd, 'r.html'), 'utf8');
  const { document } = parseHTML(html);
  const shown = NASTY.replace('\u202e', '<U+202E>');
  expect(document.querySelector('h1')!.textContent).toBe(shown);
  expect(document.querySelectorAll('script, img, iframe, link, b, a, object')).toHaveLength(0);
  for (const element of document.querySelectorAll('*'))
    for (const { name } of element.attributes) expect(name).not.toMatch(/^on|^src$|^href$|^style$/);
  const style = document.querySelector('style')!.textContent;
  const hash = createHash('sha256').update(style).digest('base64');
  expect(document.querySelector('meta[http-equiv]')!.getAttribute('content')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  const text = document.querySelector('main')!.textContent;
  for (const wanted of [
    'sealed by this user, and unchanged',
    'approved by --yes',
    "File 'a.txt' created.",
    "printf '<b>%s</b>' hello",
    '### 1. Synthesis',
    '<b>hello</b>',
    `+${shown}`,
    createHash('sha256')
      .update(readFileSync(join(cwd, 'plan.md')))
      .digest('hex'),
  ])
    expect(text).toContain(wanted);
  expect(html).not.toContain('\u202e');
});

test('a receipt has the hash of every file that records the run, and of each changed file before and after', () => {
  const plan = planOf('Hashes', createAction('new.txt'), editAction('old.txt', 'b\n', 'B\n'));
  const cwd = makeFolder({ 'plan.md': plan, 'old.txt': 'a\nb\nc\n', '.git/HEAD': '' });
  expect(teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd })).toMatchObject({ exit: 0 });
  const { document } = parseHTML(teddy(['report', '--format', 'html'], { cwd }).stdout);
  const rows = [...document.querySelectorAll('dt')].map((name) => [
    name.textContent,
    name.nextElementSibling!.textContent,
  ]);
  const folder = join(cwd, '.teddy/runs');
  const run = join(folder, readdirSync(folder).find((name) => /^\d/.test(name))!);
  const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
  const journal = readdirSync(join(run, 'journal')).map((name) => `journal/${name}`);
  expect(journal.filter((name) => name.endsWith('.json')).length).toBeGreaterThanOrEqual(1);
  for (const name of ['plan.md', 'report.md', 'run.json', 'seal', ...journal])
    expect(rows, name).toContainEqual([name, hashOf(readFileSync(join(run, name)))]);
  for (const row of [
    ['Before', hashOf('a\nb\nc\n')],
    ['After', hashOf('a\nB\nc\n')],
    ['Before', 'no file'],
    ['After', hashOf(readFileSync(join(cwd, 'new.txt')))],
  ])
    expect(rows).toContainEqual(row);
});
