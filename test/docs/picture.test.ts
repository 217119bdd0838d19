import { describe, expect, test } from 'vitest';
import { noPython } from '../cli/pty/terminal.js';
import { ROOT, readPage } from './page.js';
import { makePicture } from './picture/make-picture.js';

describe.skipIf(noPython)(`the picture of a review${noPython}`, () => {
  test('docs/review.svg is what npm run picture makes', async () => {
    expect(await makePicture(ROOT)).toBe(readPage('docs/review.svg'));
  });
});
