import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, executeAction, planOf } from '../execute/program.js';
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
    "success: File 'a.txt' created.",
    '<b>hello</b>',
    `+${shown}`,
    createHash('sha256')
      .update(readFileSync(join(cwd, 'plan.md')))
      .digest('hex'),
  ])
    expect(text).toContain(wanted);
  expect(html).not.toContain('\u202e');
});
