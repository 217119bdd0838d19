// npm run picture: makes the pictures of the docs by running the built program: a review in a pseudo-terminal, and the
// page in Chromium.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadBundle, ROOT } from './bundle.mjs';

const { makePicture } = await loadBundle('test/docs/picture/make-picture.ts');
writeFileSync(join(ROOT, 'docs', 'review.svg'), await makePicture(ROOT));
const { makePagePictures } = await loadBundle('test/docs/picture/page-pictures.ts');
for (const [name, bytes] of await makePagePictures(ROOT)) writeFileSync(join(ROOT, 'docs', name), bytes);
