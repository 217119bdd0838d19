import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noPython } from '../cli/pty/terminal.js';
import { describeInBrowser } from '../page/browser.js';
import { makePagePictures } from './picture/page-pictures.js';

const ROOT = join(import.meta.dirname, '../..');

describeInBrowser('the pictures of the page', () => {
  if (noPython !== '') return;

  // Fonts differ between machines, so their pixels are not compared.
  test('can be made again from a real review, and those in the docs are small', async () => {
    const made = await makePagePictures(ROOT);
    const kept = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.webp'));
    expect([...made.keys()].sort()).toEqual(kept.sort());
    for (const name of kept) {
      const bytes = readFileSync(join(ROOT, 'docs', name));
      expect(bytes.length).toBeLessThan(100_000);
      expect(bytes.toString('latin1', 8, 12)).toBe('WEBP');
      expect(readFileSync(join(ROOT, 'docs/page.md'), 'utf8')).toContain(`](${name})`);
    }
  });
});
