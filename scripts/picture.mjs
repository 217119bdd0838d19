// npm run picture: makes docs/review.svg, the picture of a review, by running the built program in a pseudo-terminal.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadBundle, ROOT } from './bundle.mjs';

const { makePicture } = await loadBundle('test/docs/picture/make-picture.ts');
writeFileSync(join(ROOT, 'docs', 'review.svg'), await makePicture(ROOT));
